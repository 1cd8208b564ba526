"""One module per resource: schemas first, then one function per operation; no rules and no Redis in here."""
