"""The HTTP layer: strict request parsing, problem documents, idempotency, streams, and the OpenAPI document."""
