"""Serving of the app: processes, access, compression, cached answers."""
