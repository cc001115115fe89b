"""The History page: whether an engine got better, and when."""
