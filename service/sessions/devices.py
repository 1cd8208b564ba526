"""Additional devices of a seat. With a short one-time code, another device gets its own token for the seat."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import msgspec

from service.sessions.chance import device_code, device_token
from service.sessions.change import write_beside
from service.sessions.errors import (
    LastDevice,
    TooManyDevices,
    UnknownDevice,
    UnknownSession,
    WrongDeviceCode,
)
from service.sessions.push import unsubscribe
from service.sessions.reading import find
from service.sessions.services import SessionServices
from service.sessions.tokens import OWNER, hashed
from service.store.devices import NO_DEVICES, Device, SeatDevices, add_code, find_code
from service.store.sessions import Session, Written

DEVICE_CODE_ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""The digits of Crockford's Base32, which omits letters that look like other digits."""

DEVICE_CODE_CHARACTERS: Final = 12
"""Length of a device code. Its 60 bits cannot be guessed in ten minutes with a limited number of attempts."""

_GROUP_CHARACTERS: Final = 4
_LOOKALIKES: Final = str.maketrans("OIL", "011", "- ")


@dataclass(frozen=True, slots=True)
class DeviceCode:
    """A device code in groups of four characters. It is valid before the time `until`, which is in milliseconds."""

    code: str
    until: int


@dataclass(frozen=True, slots=True)
class AddedDevice:
    """A seat of a session, and the token of its new device."""

    session: Session
    seat: int
    token: str
    repeated: bool  # whether the operation was already done


@dataclass(frozen=True, slots=True)
class SeatDevice:
    """A device of a seat. `token` is the hash of the device's token."""

    id: str
    added: int | None  # None for the seat's own token
    token: str


def create_code(
    services: SessionServices, session: Session, number: int, operation: str, credential: str, seconds: int, most: int
) -> DeviceCode:
    """Create a code that adds a device to a seat. The seat's earlier code becomes invalid.

    A repeated operation returns the same code. Raise TooManyDevices if the seat has the maximum number of devices.
    Raise TooManyWriters, UnknownSession or TokenReplaced if the code cannot be stored.
    """
    # The credential is not stored, so stored data does not suffice to derive the code.
    bits = int.from_bytes(device_code(session.charter.key, number, operation, credential))
    code = "".join(DEVICE_CODE_ALPHABET[bits >> 5 * place & 31] for place in range(DEVICE_CODE_CHARACTERS))
    kept, until = hashed(code), services.now() + 1000 * seconds

    def make(row: SeatDevices, loaded: Session) -> SeatDevices:
        if row.code == kept or any(device.code == kept for device in row.devices):
            return row
        if len(loaded.tokens_of(number)) >= most:
            raise TooManyDevices
        return msgspec.structs.replace(row, code=kept, until=until)

    add_code(services.store.client, kept, session.id, number, 1000 * seconds)
    after = _change(services, session, number, make, number)
    row = after.devices_of(number)
    return DeviceCode(_grouped(code), row.until if row.code == kept else services.now())


def add_device(services: SessionServices, code: str, operation: str, secret: str) -> AddedDevice:
    """Add a device to a seat. A repeated operation returns the same token.

    Raise WrongDeviceCode if `code` is not valid. Raise TooManyWriters or SessionUnreadable if the write is not
    possible.
    """
    kept = hashed(normalized(code))
    place = find_code(services.store.client, kept)
    session = find(services, place[0]) if place else None
    if place is None or session is None:
        raise WrongDeviceCode
    number = place[1]
    token = device_token(session.charter.key, number, operation, secret)
    added = Device(token=hashed(token), code=kept, added=services.now())

    def make(row: SeatDevices, _loaded: Session) -> SeatDevices:
        if any(device.token == added.token for device in row.devices):
            return row
        if row.code != kept or services.now() >= row.until:
            raise WrongDeviceCode
        return msgspec.structs.replace(row, devices=(*row.devices, added), code=None, until=0)

    try:
        after = _change(services, session, number, make, OWNER)
    except UnknownSession:
        raise WrongDeviceCode from None
    known = next(device for device in after.devices_of(number).devices if device.token == added.token)
    return AddedDevice(msgspec.structs.replace(after, held=added.token), number, token, known is not added)


def list_devices(session: Session, number: int) -> list[SeatDevice]:
    """Return the devices of a seat. If the seat's own token is valid, the device with this token is first."""
    added = {device.token: device.added for device in session.devices_of(number).devices}
    return [SeatDevice(device_id(token), added.get(token), token) for token in session.tokens_of(number)]


def remove_device(services: SessionServices, session: Session, number: int, wanted: str) -> None:
    """Revoke a device's token, and end its tickets, event streams and long polls.

    The device with the seat's own token can also be removed. Raise UnknownDevice if the seat has no such device. Raise
    LastDevice if this device is the only one of the seat. Raise TooManyWriters, UnknownSession or TokenReplaced if the
    change cannot be stored.
    """

    def make(row: SeatDevices, loaded: Session) -> SeatDevices:
        found = [token for token in loaded.tokens_of(number) if device_id(token) == wanted]
        if not found:
            raise UnknownDevice
        if len(loaded.tokens_of(number)) == 1:
            raise LastDevice
        left = tuple(device for device in row.devices if device.token not in found)
        own = row.own and loaded.seats[number].token not in found
        return msgspec.structs.replace(row, own=own, devices=left)

    make(session.devices_of(number), session)
    # The push subscription may belong to the removed device.
    unsubscribe(services, session, number)
    _change(services, session, number, make, number, revokes=True)


def device_id(token: str) -> str:
    """Return a device's public id. It is derived from the hash of the device's token, and does not reveal the token."""
    return hashlib.sha256(f"device/{token}".encode()).hexdigest()[:16]


def normalized(code: str) -> str:
    """Convert a typed device code to its standard form.

    This form has capital letters and no hyphens or spaces. It has digits in place of the letters O, I and L.
    """
    return code.upper().translate(_LOOKALIKES)


def _grouped(code: str) -> str:
    return "-".join(code[at : at + _GROUP_CHARACTERS] for at in range(0, DEVICE_CODE_CHARACTERS, _GROUP_CHARACTERS))


def _change(
    services: SessionServices,
    session: Session,
    number: int,
    make: Callable[[SeatDevices, Session], SeatDevices],
    caller: int,
    *,
    revokes: bool = False,
) -> Session:
    def attempt(loaded: Session) -> tuple[Session, Written] | None:
        row = loaded.devices_of(number)
        changed = make(row, loaded)
        if changed == row:
            return None
        rows = loaded.devices or (NO_DEVICES,) * len(loaded.seats)
        devices = tuple(changed if seat == number else row for seat, row in enumerate(rows))
        after = msgspec.structs.replace(loaded, devices=devices)
        return after, services.store.set_devices(loaded, devices, number if revokes else None)

    return write_beside(services, session, caller, attempt)
