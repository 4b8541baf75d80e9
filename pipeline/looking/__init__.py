"""What a user asks about a recipe or a release: previews, differences, results."""
