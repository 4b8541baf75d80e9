"""Paraphrasers: sequence-to-sequence models from a sentence to another one that means the same."""
