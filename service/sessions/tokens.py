"""Tokens of 256 random bits, and invite codes of 128 random bits.

They are displayed once and stored only as hashes.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Callable
from typing import Final

from service.store.sessions import Session

OWNER: Final = -2
"""Viewer number of a caller with the owner's token, who has no seat and sees what spectators see."""

TOKEN_BYTES: Final = 32
INVITE_BYTES: Final = 16


def new_token(entropy: Callable[[int], bytes]) -> str:
    """Return a random token. `entropy(n)` returns n random bytes."""
    return base64.urlsafe_b64encode(entropy(TOKEN_BYTES)).rstrip(b"=").decode()


def new_invite(entropy: Callable[[int], bytes]) -> str:
    """Return a random invite code. It is short enough for a link."""
    return base64.urlsafe_b64encode(entropy(INVITE_BYTES)).rstrip(b"=").decode()


def hashed(token: str) -> str:
    """Return the hash of a token for storage."""
    # A fast hash suffices, because nobody can guess 128 random bits.
    return hashlib.sha256(token.encode()).hexdigest()


def bearer(session: Session, token: str) -> int | None:
    """Return the seat of a token, or OWNER if the token is the owner's token. Return None if the token is unknown."""
    given = hashed(token)
    found = OWNER if hmac.compare_digest(given, session.charter.owner) else None
    # Compare all hashes in constant time, so that the duration reveals nothing about the tokens.
    for number in range(len(session.seats)):
        for known in session.tokens_of(number):
            if hmac.compare_digest(given, known):
                found = number
    return found


def is_replaced(session: Session, viewer: int, token: str | None) -> bool:
    """Return whether a token is no longer valid for a viewer. `token` is the hash of the token."""
    return token is not None and token not in session.tokens_of(viewer)
