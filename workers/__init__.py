"""The workers. They run searches, simulations, moves of bots, timers and webhooks outside the web server."""
