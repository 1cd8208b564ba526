"""The OpenAPI document: schemas of requests and responses, links, examples, and the rewriting for client generators."""
