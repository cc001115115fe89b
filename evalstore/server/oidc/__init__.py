"""Logins at a provider (OpenID Connect)."""
