"""What counts as a token, and tokens of whole columns."""
