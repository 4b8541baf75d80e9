"""Exact ranks, deciles and samples of columns of any size."""
