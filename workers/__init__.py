"""The work behind the queue: searches, simulations, bots, and the process that does it."""
