"""The Compare page: whether a run is better, for which queries, and why."""
