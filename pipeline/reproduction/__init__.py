"""The papers' tables, computed again on a user's data: see docs/reproduction.md."""
