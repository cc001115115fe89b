"""The Run page: the facts of a run, its figures, and its values by query."""
