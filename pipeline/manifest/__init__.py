"""The manifest and the summary of a release, as typed values."""
