"""The OpenAPI document.

The document contains links, examples, and the schemas of requests and responses. The schemas are rewritten so that
client generators can use them.
"""
