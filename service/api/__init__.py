"""The resources of the API. They contain no rules of games and do not call Redis directly.

Each module has its schemas first, and then one function per operation.
"""
