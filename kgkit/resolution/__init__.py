"""Finding entities that are one, and applying what people decided."""
