"""Pages of the login, the account, invitations and the administrators: plain HTML."""
