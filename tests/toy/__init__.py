"""Pebbles, a small whole game: a hidden card each, sealed bids, and pebbles to take."""

from tests.toy.game import GAME

__all__ = ["GAME"]
