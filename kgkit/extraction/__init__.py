"""Finding mentions and statements in chunks."""
