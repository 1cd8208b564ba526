"""The resources of the API, one module each. A module has no rules of games and does not call Redis.

A module defines its schemas first, and then one function per operation.
"""
