"""Plays series of games between bots, counts the results, and rates the bots."""
