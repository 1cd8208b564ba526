"""The JSON of the API. It consists of schemas of requests, responses and messages, and of functions that build them."""
