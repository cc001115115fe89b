"""Files -> store: runs, judgments, documents, and new judgments of stored runs."""
