"""Sentence encoders: ids of words, of trigrams, or of both in; sentence vectors out."""
