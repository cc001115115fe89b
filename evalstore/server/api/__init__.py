"""The HTTP API: `routes` lists its operations, the other modules hold them by subject."""
