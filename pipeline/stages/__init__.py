"""The stages of a recipe, one module a kind; `kinds.STAGES` lists the kinds in order."""
