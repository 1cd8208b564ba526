"""Devices of seats, and the codes that add them."""

from __future__ import annotations

from typing import Final, cast

import msgspec
from redis import Redis

from service.store import keys


class Device(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A further device of a seat: the hashes of its token and of the code that added it, and when, in ms."""

    token: str
    code: str
    added: int


class SeatDevices(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The devices of a seat, besides the seat's own token.

    They count while the hash of that token is `parent`, so a replaced token revokes them all. `own` is false once the
    seat's own token was revoked by a further device. `code` is the hash of the code that adds the next device, valid
    until a time in milliseconds.
    """

    parent: str = ""
    own: bool = True
    devices: tuple[Device, ...] = ()
    code: str | None = None
    until: int = 0


NO_DEVICES: Final = SeatDevices()


def add_code(client: Redis, code: str, session_id: str, seat: int, life_ms: int) -> None:
    """Let a seat be found by the hash of a device code for some time."""
    client.set(keys.device_code(code), f"{session_id}/{seat}", px=life_ms)


def find_code(client: Redis, code: str) -> tuple[str, int] | None:
    """Return the session and the seat of a device code, by its hash."""
    found = cast("bytes | None", client.get(keys.device_code(code)))
    session_id, _, seat = (found or b"").decode().partition("/")
    return (session_id, int(seat)) if found else None
