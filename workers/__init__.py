"""Behind the queues, on top of the service: searches, simulations, the turns of bots, timers, and webhooks."""
