"""HTTP layer of the service: strict bodies, problems, idempotency, streams, and the OpenAPI document."""
