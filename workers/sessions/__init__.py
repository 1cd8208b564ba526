"""Plays the bots of sessions and runs the timers of sessions, without any request."""
