"""Our own batched beam search: weights, network, cache, scoring and search, each a module."""
