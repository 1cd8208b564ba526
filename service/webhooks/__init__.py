"""Webhooks: their messages, their signatures, and the guard against private addresses (SSRF)."""
