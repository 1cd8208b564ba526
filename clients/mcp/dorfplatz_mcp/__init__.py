"""Dorfplatz for agents: an MCP server in front of the service's HTTP contract."""
