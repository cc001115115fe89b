"""Serving the app: processes, access, compression, cached answers."""
