"""Sources of bytes, local and remote, and the lines, rows and ids in them."""
