"""Work on sessions without a request: moves of bots, and timers."""
