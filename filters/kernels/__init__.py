"""The compiled loops of scores."""
