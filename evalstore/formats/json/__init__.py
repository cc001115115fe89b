"""Runs and judgments as JSON."""
