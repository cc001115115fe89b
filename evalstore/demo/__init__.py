"""The bundled experiment: search engines over the documentation inside the running Python."""
