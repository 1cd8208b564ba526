"""Use cases of sessions: create, read, move, seat, branch, abort. No code here depends on HTTP."""
