"""Queue workers on top of the service: searches, simulations, bot turns, timers and webhooks."""
