"""Use cases of snapshots: make moves, seal, replay and verify. No code here depends on HTTP."""
