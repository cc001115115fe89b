"""SQL of users: one read-only statement, and the questions of the cookbook."""
