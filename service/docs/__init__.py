"""The documentation site: pages of the OpenAPI document, the games, the problems and `docs/` (decision 117)."""
