"""paranmt: from a bitext to a scored, selected and released paraphrase corpus, and to the encoders trained on it."""

__version__ = "0.1.0"
