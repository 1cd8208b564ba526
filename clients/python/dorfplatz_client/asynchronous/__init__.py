"""The client in its only hand-written form: `python3 dev.py clients` generates the folder `synchronous` from it."""
