"""Export, import, copy, and the check of a whole store."""
