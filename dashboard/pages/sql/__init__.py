"""The SQL page: one read-only statement, with its answer as rows, a file and a chart."""
