"""Webhook messages, their signatures, and the protection against requests to private addresses (SSRF)."""
