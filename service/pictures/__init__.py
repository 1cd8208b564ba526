"""Pictures: drawing as PNG, padding, deltas, and a cache. Free of HTTP."""
