"""The web service: HTTP, use cases and Redis. It imports the games but not the workers, and contains no rules."""
