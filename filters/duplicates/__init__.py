"""Pairs with the same text, or nearly the same."""
