"""A client of openapi-generator's Python."""
