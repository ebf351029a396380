"""Language models, embeddings and local language processing."""
