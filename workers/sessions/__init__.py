"""Makes the moves of bots in sessions, and runs the timers of sessions.

This code runs in the processes of workers. It does not run while the web server processes a request.
"""
