"""The home page: what is new, and the contents of the store."""
