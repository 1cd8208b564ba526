"""The documentation site. It shows the OpenAPI document, the games, the error codes, and the pages in `docs/`."""
