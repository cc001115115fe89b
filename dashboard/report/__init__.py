"""Reports and figures as pages: one HTML file each, which needs no network."""
