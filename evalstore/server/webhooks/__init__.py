"""Webhooks: whom the server tells of what happens, and how."""
