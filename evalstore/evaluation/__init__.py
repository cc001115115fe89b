"""Runs x judgments -> values: here, in processes, or on the workers of Dask."""
