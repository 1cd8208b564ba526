"""Tests of each game alone, and of what all games are made of."""
