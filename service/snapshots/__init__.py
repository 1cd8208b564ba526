"""Use cases of snapshots. They make moves, and seal, replay and verify snapshots. No code here depends on HTTP."""
