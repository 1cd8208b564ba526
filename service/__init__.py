"""The web service: HTTP, use cases and Redis. It imports the games, never the workers, and holds no rules."""
