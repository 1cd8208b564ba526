"""The keys of a session: one secret, and under it a key of its own for each use, so that none predicts another."""

from __future__ import annotations

import hashlib
import hmac

from games.core.dice import SeededDice
from service.chance import derived


def session_key(server: bytes, name: str) -> bytes:
    """Return the key of a session from 32 bytes that the server drew for it."""
    return hmac.new(server, name.encode(), hashlib.sha256).digest()


def practice_key(seed: str) -> bytes:
    """Return the key of a practice session, the same for every session with this seed."""
    return derived(seed.encode(), "session/practice")


def set_up_dice(key: str) -> SeededDice:
    """Return the dice that set up the table of a session; `key` is hexadecimal, as the charter has it."""
    return SeededDice(derived(bytes.fromhex(key), "session/set-up"), 0)


def move_dice(key: str, ply: int) -> SeededDice:
    """Return the dice of a move, so that a retry rolls the same."""
    return SeededDice(derived(bytes.fromhex(key), "session/moves"), ply)


def advice_seed(key: str, revision: int, seat: int) -> str:
    """Return the seed of a bot's search, which tells nothing of the table's chance."""
    return derived(bytes.fromhex(key), f"session/advice/{revision}/{seat}").hex()
