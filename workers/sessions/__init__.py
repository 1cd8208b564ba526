"""Moves of bots and timers of sessions. Both run without a request."""
