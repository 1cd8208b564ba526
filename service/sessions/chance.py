"""The keys of a session. Each purpose has its own key, derived from one secret, so no key reveals another."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import count
from typing import Final

from games.core.dice import CHOICE, SeededDice
from games.core.seeds import derived

MAX_CACHED_KEYS: Final = 256
"""Number of sessions whose keys are cached."""


def session_key(server: bytes, session_id: str) -> bytes:
    """Return the key of a session; `server` is 32 random bytes of the server."""
    return hmac.new(server, session_id.encode(), hashlib.sha256).digest()


def practice_key(seed: str) -> bytes:
    """Return the key of a practice session. It is the same for all sessions with this seed."""
    return derived(seed.encode(), "session/practice")


def set_up_key(key: str) -> bytes:
    """Return the set-up key of a session; `key` is hexadecimal, as in the charter."""
    return derived(bytes.fromhex(key), "session/set-up")


@lru_cache(MAX_CACHED_KEYS)
def moves_key(key: str) -> bytes:
    """Return the key of a session's move dice."""
    return derived(bytes.fromhex(key), "session/moves")


def mixed(key: bytes, client_seeds: Sequence[tuple[int, str]]) -> bytes:
    """Mix client seeds into a key. `client_seeds` are pairs of a seat and the hexadecimal SHA-256 of its seed.

    Without client seeds, the key stays unchanged.
    """
    if not client_seeds:
        return key
    text = ",".join(f"{seat}:{digest}" for seat, digest in sorted(client_seeds))
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def set_up_dice(key: str, client_seeds: Sequence[tuple[int, str]] = ()) -> SeededDice:
    return SeededDice(mixed(set_up_key(key), client_seeds), 0)


def branch_dice(key: str) -> SeededDice:
    """Return the dice that deal a branch's table from a view. `key` is the branch's own key."""
    return SeededDice(derived(bytes.fromhex(key), "session/branch"), 0)


def move_dice(key: str, number: int, client_seeds: Sequence[tuple[int, str]] = ()) -> SeededDice:
    """Return the dice of a move. A retry of the move gets the same dice.

    `number` is the number of earlier moves, including undone moves. Without undone moves it equals the ply.
    """
    return SeededDice(mixed(moves_key(key), client_seeds), number)


def advice_seed(key: str, seat: int, version: int) -> str:
    """Return the seed for a bot's decision. It reveals nothing about the dice of the table."""
    return derived(bytes.fromhex(key), f"session/advice/{seat}/{version}").hex()


def stray_dice(key: str, seat: int, version: int) -> SeededDice:
    """Return the dice for a move that nobody has chosen, such as a random move after a timeout."""
    return SeededDice(derived(bytes.fromhex(key), f"session/stray/{seat}/{version}"), 0)


def pause_dice(key: str, seat: int, version: int) -> SeededDice:
    """Return the dice for the delay of a seat's standing answer."""
    return SeededDice(derived(bytes.fromhex(key), f"session/pause/{seat}/{version}"), 0)


def lots(key: str, version: int, seats: int) -> list[int]:
    """Return each seat's place in the order of simultaneous decisions. All orders are equally likely.

    `version` is the version of the spectators.
    """
    dice = SeededDice(derived(bytes.fromhex(key), f"session/lots/{version}"), 0)
    left = list(range(seats))
    drawn = [left.pop(dice.below(len(left), CHOICE)) for _ in range(seats)]
    return [drawn.index(seat) for seat in range(seats)]


def creation_secrets(salt: str, operation: str) -> Callable[[int], bytes]:
    """Return a function that returns the secrets of a new session, at most 32 bytes per call.

    A repeated operation gets the same secrets. The store contains the salt but not the operation, so nobody can derive
    the secrets from the store.
    """
    draws = count()
    return lambda size: derived(bytes.fromhex(salt), f"session/founding/{operation}/{next(draws)}")[:size]


def rematch_id(key: str, session_id: str) -> str:
    """Return the id of a session's only rematch. Nobody can predict it without the key."""
    bucket = session_id[0]
    return bucket + derived(bytes.fromhex(key), f"session/rematch/{session_id}").hex()[1:32]


def claim_token(key: str, seat: int, operation: str, code: str) -> str:
    """Return the token for a seat claimed by an invite. A repeated operation gets the same token."""
    return _token(key, f"session/claim/{seat}/{operation}/{code}")


def issued_token(key: str, seat: int, operation: str, secret: str) -> str:
    """Return the token that an operation issues for a seat; `secret` is the caller's credential."""
    return _token(key, f"session/issue/{seat}/{operation}/{secret}")


def device_token(key: str, seat: int, operation: str, secret: str) -> str:
    """Return the token of an added device. The same operation with the same secret gets the same token."""
    return _token(key, f"session/device/{seat}/{operation}/{secret}")


def device_code(key: str, seat: int, operation: str, secret: str) -> bytes:
    """Return the random bits of a device code. A repeated operation with the same secret gets the same bits."""
    return derived(bytes.fromhex(key), f"session/device-code/{seat}/{operation}/{secret}")


def _token(key: str, label: str) -> str:
    return base64.urlsafe_b64encode(derived(bytes.fromhex(key), label)).rstrip(b"=").decode()


def drawn_client_seed(key: str, seat: int, operation: str, code: str) -> str:
    """Return a client seed for a claim that brings none. A repeated operation gets the same seed."""
    return derived(bytes.fromhex(key), f"session/client-seed/{seat}/{operation}/{code}").hex()[:32]
