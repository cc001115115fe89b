"""The engine that reads TREC lines fast: files to tables of columns. Private to `formats`."""
