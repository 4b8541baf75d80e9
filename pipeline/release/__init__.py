"""What people and machines read about a release: the dataset card, and its metadata as JSON."""
