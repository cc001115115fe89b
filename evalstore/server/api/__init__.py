"""The HTTP API: a view parses a request, calls one use case and gives its answer."""
