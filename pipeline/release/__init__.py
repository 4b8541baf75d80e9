"""A release: described, opened, streamed, cut, verified and published."""
