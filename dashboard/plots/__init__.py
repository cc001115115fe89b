"""Figures for reports and papers: interactive ones (plotly) and static ones (matplotlib)."""
