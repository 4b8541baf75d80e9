"""Sentence encoders: token ids and lengths in, sentence vectors out."""
