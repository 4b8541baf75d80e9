"""The training of models on pairs of a workspace."""
