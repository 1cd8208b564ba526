"""The JSON of the API: schemas of requests, responses and messages, and functions that build them."""
