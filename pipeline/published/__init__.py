"""A release in the hands of its readers: opening, streaming, verifying, comparing and uploading it."""
