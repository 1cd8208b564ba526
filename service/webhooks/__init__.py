"""Webhooks: what is sent to which key, how it is signed, and the guard against private addresses (SSRF)."""
