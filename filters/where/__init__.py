"""Conditions in SQL over the columns of a pair."""
