"""Devices of a seat. A one-time code adds a device to a seat. The device stays valid until it is removed."""

from __future__ import annotations

import time
from typing import Annotated, Any, Final

from flask import Response
from msgspec import UNSET, Meta, UnsetType

from service.api.auth import allow_seat, check_own_seat, require, seat_token
from service.api.callers import caller, key_of_caller
from service.api.seats import sent_credential
from service.api.session_replies import links, shown_time, tagged
from service.auth.rate_limits import RateLimitStatus, per_hour
from service.contract.json_schemas import Answer, Time
from service.http.blueprint import Blueprint, answer, no_content
from service.http.context import current_context
from service.http.fields import Body, Words
from service.http.idempotency import Act, idempotent, secret_of_request
from service.http.problems import Problem
from service.http.request_context import current_call
from service.sessions.devices import (
    DEVICE_CODE_CHARACTERS,
    AddedDevice,
    SeatDevice,
    add_device,
    create_code,
    device_id,
    list_devices,
    remove_device,
)
from service.snapshots.records import Seat
from service.store.sessions import Session
from service.wire.session_responses import SessionLinks, SessionStatus
from service.wire.sessions import serialize_given_seats

blp = Blueprint("devices", __name__, url_prefix="/v1", description="Devices of a seat, each with a token of its own.")

FAILED_CODES: Final = "device-codes"
"""Name of the quota that limits wrong device codes."""

MAX_SENT_CHARACTERS: Final = 2 * DEVICE_CODE_CHARACTERS
"""Maximum length of a code as a user may type it, with a separator after each character."""

DeviceId = Annotated[str, Meta(description="Id of the device.")]


class DeviceCodeShown(Answer, frozen=True, kw_only=True):
    """A code that opens the seat on one more device."""

    code: Annotated[str, Meta(description="Twelve letters and digits in groups of four, valid once.")]
    expires_at: Time


class DeviceShown(Answer, frozen=True, kw_only=True):
    """A device of a seat. The first device has no `created_at`."""

    id: DeviceId
    current: Annotated[bool, Meta(description="Whether the request came from this device.")]
    created_at: Time | UnsetType = UNSET


class DeviceList(Answer, frozen=True, kw_only=True):
    """Devices of a seat."""

    devices: list[DeviceShown]


class DeviceAdded(Answer, frozen=True, kw_only=True):
    """The seat of a new device, and the device's token. Only this response contains the token."""

    id: str
    game: str
    seat: Seat
    name: str | UnsetType = UNSET
    device: DeviceId
    token: str
    version: int
    status: SessionStatus
    links: SessionLinks


class NewDevice(Body):
    """A request to add a device, with the one-time code that another device of the seat displays."""

    code = Words(
        DEVICE_CODE_CHARACTERS,
        MAX_SENT_CHARACTERS,
        required=True,
        description="Device code. Hyphens, spaces and case are ignored.",
    )


@blp.post("/sessions/<id>/seats/<int:number>/device-codes")
@require(allow_seat, table=False)
@blp.response(201, DeviceCodeShown, problems=("too-many-devices", "too-many-writers"))
@idempotent(seat_token)
def create_device_code(session: Session, viewer: int, number: int) -> Act:
    """Create a device code.

    Create a one-time code with which `addDevice` opens the caller's seat on another device. It is valid for
    `device_code_seconds` (`/v1/limits`), and replaces an earlier code of the seat. No other player is notified.
    """
    check_own_seat(viewer, number)

    def act(operation: str) -> Response:
        services, limits = current_context().sessions, current_context().settings.limits
        made = create_code(
            services,
            session,
            number,
            operation,
            sent_credential() or "",
            limits.device_code_seconds,
            limits.devices_per_seat,
        )
        return answer(DeviceCodeShown(code=made.code, expires_at=shown_time(made.until)), 201)

    return act


@blp.post("/devices")
@blp.arguments(NewDevice())
@blp.response(
    201,
    DeviceAdded,
    headers=("ETag",),
    problems=("wrong-device-code", "rate-limited", "session-unreadable", "too-many-writers", "store-away"),
)
@idempotent(key_of_caller)
def add_seat_device(body: dict[str, Any]) -> Act:
    """Add a device.

    Add a new device to a seat with a code from one of the seat's devices. The response has a separate token for the
    new device. All devices of a seat stay valid, with the same view and rights. A code works once. After too many wrong
    codes from one address, the response is 429. A retry with the same `Idempotency-Key` returns the same token.
    """
    secret = secret_of_request(caller().key_text)

    def act(operation: str) -> Response:
        attempt = _charge_attempt()
        added = add_device(current_context().sessions, body["code"], operation, secret)
        _refund(attempt)
        return _added(added)

    return act


@blp.get("/sessions/<id>/seats/<int:number>/devices")
@require(allow_seat, table=False)
@blp.response(200, DeviceList)
def list_seat_devices(session: Session, viewer: int, number: int) -> DeviceList:
    """List devices.

    Return the devices of the caller's seat, oldest first.
    """
    check_own_seat(viewer, number)
    own = seat_token(session, viewer)
    return DeviceList(devices=[_serialize(device, own) for device in list_devices(session, number)])


@blp.delete("/sessions/<id>/seats/<int:number>/devices/<device>")
@require(allow_seat, table=False)
@blp.response(204, problems=("unknown-device", "last-device", "too-many-writers"))
def remove_seat_device(session: Session, viewer: int, number: int, device: str) -> Response:
    """Remove a device.

    Revoke the token of one of the seat's devices, such as a lost phone. The device's streams and waiting requests end
    at once. The seat's push subscription ends, too. The last device of a seat cannot be removed. No other player is
    notified.
    """
    check_own_seat(viewer, number)
    remove_device(current_context().sessions, session, number, device)
    return no_content()


def _charge_attempt() -> RateLimitStatus | None:
    """Charge one attempt to the caller's quota of wrong codes. Raise Problem if the quota is used up.

    This function must be called before the code is checked. If the code is correct, `_refund` cancels the charge. A
    charge after the check would be too late: a caller could send many codes at the same time.
    """
    quota = per_hour(current_context().settings.limits.device_code_failures_per_hour, FAILED_CODES)
    if quota is None:
        return None
    status = current_context().rate_limiter.spend(quota, caller().identity)
    if not status.granted:
        current_call().note(status)
        raise Problem("rate-limited", headers={"Retry-After": str(status.seconds)})
    return status


def _refund(attempt: RateLimitStatus | None) -> None:
    if attempt is not None:
        current_context().rate_limiter.give_back(attempt.quota, caller().identity, 1, time.time())


def _added(added: AddedDevice) -> Response:
    session, number = added.session, added.seat
    seat = serialize_given_seats(session, {number: added.token})[number]
    value = DeviceAdded(
        id=session.id,
        game=session.charter.game,
        seat=number,
        name=seat.name,
        device=device_id(session.held or ""),
        token=added.token,
        version=session.versions[number],
        status=session.status,
        links=links(session),
    )
    return tagged(value, session, number, 201, repeated=added.repeated)


def _serialize(device: SeatDevice, own: str | None) -> DeviceShown:
    created = UNSET if device.added is None else shown_time(device.added)
    return DeviceShown(id=device.id, current=device.token == own, created_at=created)
