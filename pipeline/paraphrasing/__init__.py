"""Paraphrasing text with a trained paraphraser."""
