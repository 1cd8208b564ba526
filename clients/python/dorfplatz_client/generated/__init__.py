"""The types of the contract and the synchronous client, written by `python3 dev.py clients`."""
