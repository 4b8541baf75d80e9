"""Forecasting what a run will cost, from a pilot on a sample."""
