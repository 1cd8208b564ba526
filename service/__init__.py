"""The web side: HTTP in, problem documents and views out; no rules in here."""
