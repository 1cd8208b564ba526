"""Listeners: streams, long polls, presence, pictures and tickets, in process and through a real server."""
