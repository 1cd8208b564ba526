"""Peers of the kernel; each is a program of its own that prints one line of JSON."""
