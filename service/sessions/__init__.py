"""Use cases of sessions: create, read, move, seat, branch, abort. Free of HTTP; workers play the bots."""
