"""The HTTP layer: strict request parsing, problem documents, idempotency, and streams."""
