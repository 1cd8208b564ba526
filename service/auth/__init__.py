"""API keys and rate limits. This package contains no HTTP."""
