"""Runs over time: the recorded facts of runs, histories and experiments."""
