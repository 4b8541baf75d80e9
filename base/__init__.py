"""What every layer uses and what is not about pairs alone: errors, files, streams, logs, interrupts."""
