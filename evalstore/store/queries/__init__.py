"""SELECTs and INSERTs by subject."""
