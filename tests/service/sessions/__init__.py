"""Tests of sessions: the store, the use cases, HTTP, and bots."""
