"""Runs that were chosen after looking at their figures: the luck in it, and a split without it."""
