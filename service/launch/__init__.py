"""Starts, watches and stops the processes of the service: Redis, the workers and the web server."""
