"""The SQL page: one statement, read-only, its answer as rows, a file and a chart."""
