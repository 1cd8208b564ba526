"""Dice out of a seed: keys, each derived under a label of its own, so that none predicts another."""

from __future__ import annotations

import hashlib
import hmac
from typing import Final

from games.core.dice import SeededDice

SET_UP: Final = "snapshot/set-up"
MOVES_LABEL: Final = "snapshot/moves"


def derived(secret: bytes, label: str) -> bytes:
    """Return the key that belongs to a label."""
    return hmac.new(secret, label.encode(), hashlib.sha256).digest()


def set_up_dice(seed: str) -> SeededDice:
    """Return the dice that set up the table of a seed."""
    return SeededDice(derived(seed.encode(), SET_UP), 0)


def move_dice(seed: str, ply: int) -> SeededDice:
    """Return the dice of the move after `ply` others at the table of a seed, so that a retry rolls the same."""
    return SeededDice(derived(seed.encode(), MOVES_LABEL), ply)
