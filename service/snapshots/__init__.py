"""Snapshots: the stateless engine, sealing, replays, and fair seeds; no HTTP in here."""
