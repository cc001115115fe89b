"""A gate: rules about a new run and its baseline, the decision on them, and reports."""
