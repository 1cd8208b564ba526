"""One module per resource: schemas on top, one function per operation; no rules and no Redis in here."""
