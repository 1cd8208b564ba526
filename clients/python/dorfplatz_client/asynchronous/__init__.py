"""The client, written once: `python3 dev.py clients` writes the folder `synchronous` from this one."""
