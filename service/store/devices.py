"""Additional devices of seats, and the one-time codes that add them."""

from __future__ import annotations

from typing import Final, cast

import msgspec
from redis import Redis

from service.store import keys


class Device(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """An additional device of a seat."""

    token: str  # hash of its token
    code: str  # hash of the code that added it
    added: int  # time in milliseconds


class SeatDevices(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The additional devices of a seat, and the code that adds one more."""

    # Hash of the seat's own token when the devices were added. If this token is replaced, they become invalid.
    parent: str = ""
    own: bool = True  # false if another device has revoked the seat's own token
    devices: tuple[Device, ...] = ()
    code: str | None = None  # hash of the code that adds the next device
    until: int = 0  # expiry time of the code in milliseconds


NO_DEVICES: Final = SeatDevices()


def add_code(client: Redis, code: str, session_id: str, seat: int, life_ms: int) -> None:
    """Store a device code for a seat of a session. `code` is the hash of the device code."""
    client.set(keys.device_code(code), f"{session_id}/{seat}", px=life_ms)


def find_code(client: Redis, code: str) -> tuple[str, int] | None:
    """Return the session and the seat of a device code. Return None if there is no such code.

    `code` is the hash of the device code.
    """
    found = cast("bytes | None", client.get(keys.device_code(code)))
    session_id, _, seat = (found or b"").decode().partition("/")
    return (session_id, int(seat)) if found else None
