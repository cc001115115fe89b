"""Webhooks: addresses that the server tells of events."""
