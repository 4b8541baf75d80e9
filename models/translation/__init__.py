"""Translation models: the protocol, its engines, model folders, and training new models."""
