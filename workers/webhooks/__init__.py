"""Webhook delivery: the schedule of due webhooks, and each attempt to send a message."""
