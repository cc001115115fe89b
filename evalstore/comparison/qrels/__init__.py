"""Qrels of the same queries compared: their judgments, what they make of leaderboards, repeats."""
