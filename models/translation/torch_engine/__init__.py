"""Our own batched beam search, with a module each for weights, network, cache, scoring and search."""
