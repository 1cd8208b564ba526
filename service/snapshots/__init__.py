"""Use cases of snapshots, for example to make a move or to replay a game. No code here depends on HTTP."""
