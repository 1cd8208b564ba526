"""Makes the moves of bots in sessions, and runs the timers of sessions. Neither of them needs a request."""
