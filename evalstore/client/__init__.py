"""A store behind a server of a team, for programs: its HTTP API seen from outside."""
