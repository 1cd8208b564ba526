"""Requests, responses and messages by subject: sessions, jobs, snapshots, moves, and their events."""
