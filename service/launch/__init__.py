"""Starts and stops what belongs together: the compiled kernel, a Redis, the workers and the web server.

Standard library alone, because `dev.py` uses it before anything is installed.
"""
