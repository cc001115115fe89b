"""Rows of the team's server: accounts, sessions, tokens, jobs, webhooks."""
