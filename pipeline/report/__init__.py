"""The report of a run: one HTML page that needs no network and no scripts."""
