"""Rows of a whole store: copied, exported and checked."""
