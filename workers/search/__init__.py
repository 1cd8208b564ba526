"""Choosing moves in any game, from the core's tables alone; compiled."""
