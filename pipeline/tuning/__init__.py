"""Tuning by outcome: the statistics of trials, the tables and the page."""
