"""Figures: pure functions from a DataFrame to plotly or matplotlib."""
