"""The tables of the papers, computed again on a user's data, and their analyses of encoders."""
