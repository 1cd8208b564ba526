"""Use cases of sessions, for example to create a session or to make a move. No code here depends on HTTP."""
