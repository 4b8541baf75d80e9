"""The recipe: its sections and keys, the lines of its values, and the mistakes in it."""
