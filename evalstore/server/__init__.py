"""The team's server: accounts, roles, tokens and sessions, and the gate before every request."""
