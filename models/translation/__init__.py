"""Translation models: the protocol, its engines, model folders, and the training of new models."""
