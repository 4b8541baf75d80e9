"""Real engines for tests: fetched, started, and disturbed."""
