"""Plan, run, status and clean: what happens to the stages of a recipe."""
