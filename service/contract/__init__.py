"""The OpenAPI document: schemas of requests and responses, links, examples, and its forms for generators."""
