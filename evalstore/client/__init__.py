"""A store behind a team's server, for programs that use the HTTP API."""
