"""The use cases: what the command line, the Python API and the dashboard call."""
