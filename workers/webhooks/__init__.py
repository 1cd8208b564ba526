"""The delivery of webhooks: which are due, and each attempt to send one."""
