"""The leaderboard: which runs lead, and which can be told apart."""
