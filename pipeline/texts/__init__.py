"""Translate, paraphrase or embed a file of text, without a recipe."""
