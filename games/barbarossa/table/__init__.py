"""The hall, the ring and the stairs as integers; compiled."""
