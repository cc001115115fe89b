"""What the Queries page shows: queries by difficulty, a column a run."""
