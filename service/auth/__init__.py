"""API keys and rate limits, independent of HTTP."""
