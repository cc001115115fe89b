"""The Query page: the documents that moved between the rankings of one query."""
