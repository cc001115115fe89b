"""The HTTP API: `table` lists its operations, the other modules hold them by subject."""
