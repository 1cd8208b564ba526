"""HTTP as the service speaks it: strict bodies, problems, idempotency, streams, and the OpenAPI document."""
