"""Starts, watches and stops the processes of a service: a Redis, the workers and the web server."""
