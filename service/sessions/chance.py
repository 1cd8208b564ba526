"""Random keys of a session, and the dice (random generators) that use them.

Each purpose has its own key. All these keys are derived from one secret, and no key reveals another one.
"""

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
    """Return the key from which all keys of a session are derived.

    `server` is the server's secret, which has 32 bytes.
    """
    return hmac.new(server, session_id.encode(), hashlib.sha256).digest()


def practice_key(seed: str) -> bytes:
    """Return the key of a practice session. All sessions with the same seed have the same key."""
    return derived(seed.encode(), "session/practice")


def set_up_key(key: str) -> bytes:
    """Return the secret key for the random set-up of a session's table.

    It is derived from `key`, which is the session's secret key in hexadecimal.
    """
    return derived(bytes.fromhex(key), "session/set-up")


@lru_cache(MAX_CACHED_KEYS)
def moves_key(key: str) -> bytes:
    """Return the secret key for the random generators of a session's moves.

    It is derived from `key`, which is the session's secret key in hexadecimal.
    """
    return derived(bytes.fromhex(key), "session/moves")


def mixed(key: bytes, client_seeds: Sequence[tuple[int, str]]) -> bytes:
    """Mix client seeds into a key. If there are no client seeds, return the key unchanged.

    Each item of `client_seeds` is a seat and the SHA-256 hash of this seat's client seed in hexadecimal.
    """
    if not client_seeds:
        return key
    text = ",".join(f"{seat}:{digest}" for seat, digest in sorted(client_seeds))
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def set_up_dice(key: str, client_seeds: Sequence[tuple[int, str]] = ()) -> SeededDice:
    return SeededDice(mixed(set_up_key(key), client_seeds), 0)


def branch_dice(key: str) -> SeededDice:
    """Return the random generator for the hidden parts of a branch's table.

    A branch is a practice session that starts from a view. `key` is the secret key of the branch in hexadecimal.
    """
    return SeededDice(derived(bytes.fromhex(key), "session/branch"), 0)


def move_dice(key: str, number: int, client_seeds: Sequence[tuple[int, str]] = ()) -> SeededDice:
    """Return the dice of a move. A retry of the move gets equal dice.

    `number` is the number of earlier moves in the session, including undone moves.
    """
    return SeededDice(mixed(moves_key(key), client_seeds), number)


def advice_seed(key: str, seat: int, version: int) -> str:
    """Return the seed for a bot's search.

    It does not depend on the dice of the table, so it reveals nothing about these dice.
    """
    return derived(bytes.fromhex(key), f"session/advice/{seat}/{version}").hex()


def stray_dice(key: str, seat: int, version: int) -> SeededDice:
    """Return the dice for a move that no player has chosen. An example is a random move after a timeout."""
    return SeededDice(derived(bytes.fromhex(key), f"session/stray/{seat}/{version}"), 0)


def pause_dice(key: str, seat: int, version: int) -> SeededDice:
    """Return the dice for the random delay before a standing answer is given.

    A standing answer is an answer that a person has chosen in advance.
    """
    return SeededDice(derived(bytes.fromhex(key), f"session/pause/{seat}/{version}"), 0)


def lots(key: str, version: int, seats: int) -> list[int]:
    """Return each seat's place in the random order of simultaneous decisions.

    `version` is the number of the session's version for spectators.
    """
    dice = SeededDice(derived(bytes.fromhex(key), f"session/lots/{version}"), 0)
    left = list(range(seats))
    drawn = [left.pop(dice.below(len(left), CHOICE)) for _ in range(seats)]
    return [drawn.index(seat) for seat in range(seats)]


def creation_secrets(salt: str, operation: str) -> Callable[[int], bytes]:
    """Return a function that returns random bytes for the secrets of a new session.

    Each call of the function returns up to 32 bytes. A repeated operation gets the same bytes.
    """
    draws = count()
    # The store contains the salt but not the operation, so nobody can derive the secrets from the store.
    return lambda size: derived(bytes.fromhex(salt), f"session/founding/{operation}/{next(draws)}")[:size]


def rematch_id(key: str, session_id: str) -> str:
    """Return the id of a session's rematch. Without `key`, nobody can predict this id."""
    bucket = session_id[0]
    return bucket + derived(bytes.fromhex(key), f"session/rematch/{session_id}").hex()[1:32]


def claim_token(key: str, seat: int, operation: str, code: str) -> str:
    """Return the token of a person who claims a seat. A repeated operation gets the same token."""
    return _token(key, f"session/claim/{seat}/{operation}/{code}")


def issued_token(key: str, seat: int, operation: str, secret: str) -> str:
    """Return a token that replaces the token of a seat.

    A repeated operation gets the same token. `secret` is the caller's credential.
    """
    return _token(key, f"session/issue/{seat}/{operation}/{secret}")


def device_token(key: str, seat: int, operation: str, secret: str) -> str:
    """Return the token of an additional device of a seat.

    A repeated operation gets the same token if `secret` is the same.
    """
    return _token(key, f"session/device/{seat}/{operation}/{secret}")


def device_code(key: str, seat: int, operation: str, secret: str) -> bytes:
    """Return the random bytes of a device code.

    A repeated operation gets the same bytes if `secret` is the same.
    """
    return derived(bytes.fromhex(key), f"session/device-code/{seat}/{operation}/{secret}")


def _token(key: str, label: str) -> str:
    return base64.urlsafe_b64encode(derived(bytes.fromhex(key), label)).rstrip(b"=").decode()


def drawn_client_seed(key: str, seat: int, operation: str, code: str) -> str:
    """Return a random client seed for a claimer who has sent no seed. A repeated operation gets the same seed."""
    return derived(bytes.fromhex(key), f"session/client-seed/{seat}/{operation}/{code}").hex()[:32]
