"""The Compare page: is a run better, where, and why."""
