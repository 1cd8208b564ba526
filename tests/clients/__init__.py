"""Clients in two languages, made from the contract; the end-to-end tests run them against a live service."""
