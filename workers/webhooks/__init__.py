"""Sends webhook and push messages."""
