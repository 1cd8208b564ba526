"""Dorfplatz for agents: an MCP server in front of the service's HTTP contract."""

__version__ = "1.0.0"
