"""How work reaches workers: the one pipeline of every stage, runners, GPUs."""
