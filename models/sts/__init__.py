"""Semantic textual similarity: its data, the development sets, and correlation with people's scores."""
