"""The recipe: what it may say, where its values stand, and what is wrong with it."""
