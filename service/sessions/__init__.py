"""The use cases of sessions: create, read, move, seat, branch, abort. No HTTP in here; the workers play the bots."""
