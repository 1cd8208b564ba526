"""Snapshots: the stateless engine, sealing, replays, and random seeds. Free of HTTP."""
