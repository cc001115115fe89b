"""Files sent to the server, and the jobs that store them."""
