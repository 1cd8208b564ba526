"""The use cases of sessions: create, look, play, abort, and let bots play. No HTTP in here."""
