"""API keys and rate limits; no HTTP in here."""
