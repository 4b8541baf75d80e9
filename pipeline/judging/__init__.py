"""Pairs that people judge: a page to judge them on, and what their answers say."""
