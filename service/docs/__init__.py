"""The documentation site. It shows the OpenAPI document, the games, the problems, and the pages in `docs/`."""
