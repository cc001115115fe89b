"""The Run page: what a run is, how good it is, and on which queries."""
