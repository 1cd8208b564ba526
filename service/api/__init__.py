"""The resources of the API, one module each. They contain no rules of games and do not call Redis directly.

Each module defines its schemas first, and then one function per operation.
"""
