"""The rules: no HTTP, no Redis, no clock and no global chance."""
