"""Two qrels of the same queries: their judgments, and what they make of a leaderboard."""
