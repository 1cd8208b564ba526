"""A long run of nearly right requests with valid credentials: `python3 dev.py fuzz`."""
