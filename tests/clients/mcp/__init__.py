"""The MCP server and the arena for agents, `clients/mcp`, against the service's own application."""
