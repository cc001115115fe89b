"""Tables as text: CSV, TSV, JSON, Markdown, LaTeX and TREC text; pure functions."""
