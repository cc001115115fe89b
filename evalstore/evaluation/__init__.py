"""Runs x judgments -> values: in this process, in several, or on Dask workers."""
