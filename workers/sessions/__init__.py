"""What happens at sessions by itself: the turns of bots, and timers."""
