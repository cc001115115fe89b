"""Who people and programs are: accounts, roles, sessions, tokens and invitations."""
