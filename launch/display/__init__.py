"""How commands show what they know in the terminal."""
