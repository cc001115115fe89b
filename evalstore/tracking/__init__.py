"""Runs in time: what is recorded of a run, histories and experiments."""
