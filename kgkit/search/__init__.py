"""Finding passages, and answering questions with citations."""
