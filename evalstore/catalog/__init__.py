"""Records of a store: names, collections, qrels, queries, runs and their facts."""
