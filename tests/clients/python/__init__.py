"""A client that openapi-python-client makes from the contract."""
