"""Dorfplatz for agents: an MCP server in front of the service's HTTP contract."""

__version__ = "0.2.0"
