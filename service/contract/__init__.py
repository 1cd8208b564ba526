"""Between the games' own types and the wire: fields, schemas, problems, and the OpenAPI document."""
