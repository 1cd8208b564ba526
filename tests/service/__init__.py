"""The HTTP layer and the use cases."""
