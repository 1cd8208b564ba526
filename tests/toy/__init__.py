"""Pebbles, a small whole game for tests: a hidden card each, sealed bids, and pebbles to take.

It stands for "one further game": whatever the house does for it, it does without a line of its own.
"""

from tests.toy.game import GAME

__all__ = ["GAME"]
