"""What a run will cost: a pilot on a sample, and the forecast made from it."""
