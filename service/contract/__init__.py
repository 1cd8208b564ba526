"""The OpenAPI document.

It has schemas of requests and responses, links and examples. It is rewritten for client generators.
"""
