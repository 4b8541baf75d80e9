"""Where datasets lie: workspaces, parts, hashes, seals, and what dead processes left."""
