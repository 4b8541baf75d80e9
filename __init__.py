"""paranmt: from a bitext to a scored, selected, released paraphrase corpus, and encoders trained on it."""

__version__ = "0.1.0"
