"""The client without `await`, written by `python3 dev.py clients` from the folder `asynchronous`."""
