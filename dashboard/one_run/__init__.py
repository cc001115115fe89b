"""What the Run page shows: data, tables and figures of one run."""
