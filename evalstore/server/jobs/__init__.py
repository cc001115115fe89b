"""Files that are sent, and the jobs that store them."""
