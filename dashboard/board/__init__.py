"""The leaderboard: its data, columns and rows, and its views."""
