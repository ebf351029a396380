"""The local extractor: spaCy's small English pipeline, and rules on top of it."""
