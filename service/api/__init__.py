"""The resources of the API, one module each: first schemas, then one function per operation. No rules and no Redis."""
