"""Exporting, importing, copying and checking a whole store."""
