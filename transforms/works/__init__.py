"""What each stage does with a part, or as a single job."""
