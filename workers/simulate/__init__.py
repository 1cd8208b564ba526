"""Whole games played by bots, in batches, with what they show."""
