"""Describing a release: the dataset card for people, and metadata as JSON for machines."""
