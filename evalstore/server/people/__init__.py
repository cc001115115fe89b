"""People and programs: accounts, roles, sessions, tokens and invitations."""
