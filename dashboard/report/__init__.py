"""Reports and figures as pages: a single HTML file each, which needs no network."""
