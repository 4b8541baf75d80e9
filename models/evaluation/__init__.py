"""Evaluating sentence encoders."""
