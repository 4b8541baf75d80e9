"""The tables in which the papers compare corpora with each other, and references with translations."""
