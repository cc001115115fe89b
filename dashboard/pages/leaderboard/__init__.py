"""The leaderboard: which runs lead, and which of them can be told apart."""
