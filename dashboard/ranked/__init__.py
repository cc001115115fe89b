"""The parts of the Query page: the rankings of one query, side by side."""
