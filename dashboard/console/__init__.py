"""The parts of the SQL page."""
