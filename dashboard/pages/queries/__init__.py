"""The Queries page: which queries are hard, and which decide a comparison."""
