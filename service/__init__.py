"""The web service: HTTP API, use cases and Redis storage. The rules of the games are in `games`."""
