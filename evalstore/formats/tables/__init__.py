"""Runs, judgments, queries and documents as tables: CSV, tab-separated, Parquet, JSON lines."""
