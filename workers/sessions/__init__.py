"""Session work without a request: bot turns and timers."""
