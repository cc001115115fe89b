"""Copying, exporting and checking the rows of a whole store."""
