"""Webhooks on their way: what is due, delivered, and sent."""
