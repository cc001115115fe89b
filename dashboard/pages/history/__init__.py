"""The History page: did an engine get better, and when."""
