"""The home page: what is in the store, what is new, and where to go next."""
