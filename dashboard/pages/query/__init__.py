"""The Query page: which documents moved between the rankings of one query."""
