"""What happens at sessions without a request: the turns of bots, and timers."""
