"""Bearer tokens with 256 random bits, and invite codes with 128. They are shown once and stored as hashes."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Callable
from typing import Final

from service.store.sessions import Session

OWNER: Final = -2
"""Viewer number of the owner token's holder: without a seat, and like a spectator except for owner operations."""

TOKEN_BYTES: Final = 32
INVITE_BYTES: Final = 16


def new_token(entropy: Callable[[int], bytes]) -> str:
    """Return a random token."""
    return base64.urlsafe_b64encode(entropy(TOKEN_BYTES)).rstrip(b"=").decode()


def new_invite(entropy: Callable[[int], bytes]) -> str:
    """Return a random invite code, short enough for a link."""
    return base64.urlsafe_b64encode(entropy(INVITE_BYTES)).rstrip(b"=").decode()


def hashed(token: str) -> str:
    """Return the hash of a token for the store. A fast hash suffices, since nobody can guess 128 random bits."""
    return hashlib.sha256(token.encode()).hexdigest()


def bearer(session: Session, token: str) -> int | None:
    """Return the seat of a token, OWNER for the owner's token, or None for an unknown token.

    All hashes are compared in constant time. So the time taken reveals neither the seat nor the quality of a guess.
    """
    given = hashed(token)
    found = OWNER if hmac.compare_digest(given, session.charter.owner) else None
    for number in range(len(session.seats)):
        for known in session.tokens_of(number):
            if hmac.compare_digest(given, known):
                found = number
    return found


def is_replaced(session: Session, viewer: int, token: str | None) -> bool:
    """Return whether a token is no longer valid for a seat. `token` is its hash."""
    return token is not None and token not in session.tokens_of(viewer)
