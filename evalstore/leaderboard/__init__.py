"""Leaderboards: rows, ranks, rank groups, agreement, power and cost."""
