"""Strict parsing of JSON request bodies, before fields are checked.

If a body is too long or has too many values, the response is 413. If the JSON is invalid, the response is 400. The
items of very long lists are not parsed here. They stay JSON text.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any, Final

import msgspec
from werkzeug.http import parse_options_header

from service.http.problems import Problem
from service.http.request import Request, flask_body
from service.http.request_context import current_call, this_request
from service.settings import Limits
from service.validation import strict_json
from service.validation.faults import Fault
from service.validation.strict_json import Bounds, UnfitJsonError

JSON_TYPE: Final = "application/json"


def receive_body() -> bytes:
    """Return the body of Flask's current request. Raise Problem if `body_of` rejects it."""
    http_request = this_request()
    limit = http_request.max_content_length or 0
    return body_of(current_call().request.replace(body=flask_body(http_request, limit)), limit)


def body_of(asked: Request, limit: int) -> bytes:
    """Return the body of a request. `limit` is in bytes.

    Raise Problem if the body is too long (413), incomplete (400), or not JSON (415). The checks run in this order.
    """
    body = asked.body
    if asked.length > limit or (body is not None and len(body) > limit):
        raise Problem("body-too-large", limit=limit)
    if body is None or len(body) < asked.length:  # the client has disconnected or stopped sending
        raise Problem("bad-request")
    given = asked.headers.get("content-type")
    if given != JSON_TYPE:  # rare, and parsing is expensive
        kind, options = parse_options_header(given)
        if kind.lower() != JSON_TYPE or options.get("charset", "utf-8").lower() not in {"utf-8", "utf8"}:
            raise Problem("unsupported-media-type", headers={"Accept": "application/json"})
    return body


def bounds_of(limits: Limits) -> Bounds:
    return Bounds(limits.json_depth, limits.json_values)


def parse_body(body: bytes, limits: Limits) -> Any:
    try:
        return strict_json.parse(body, bounds_of(limits))
    except UnfitJsonError as unfit:
        raise problem_of(unfit) from None


def problem_of(unfit: UnfitJsonError) -> Problem:
    return Problem(unfit.code, errors=unfit.errors, **unfit.params)


class Entry(msgspec.Struct, forbid_unknown_fields=True):
    """An unparsed item of a very long list.

    Each field of a subclass contains the JSON text of one member of the item. If the item has no such member, the field
    is empty.
    """

    def __post_init__(self) -> None:
        """Count this entry as an item of its list.

        Raise ValueError if the list already has the maximum number of entries. The parser then stops, because further
        entries would take memory.
        """
        _room.get().take()


class EntryList(msgspec.Struct, frozen=True):
    """A very long list in a request body.

    `kind` is the type of its entries. `bound` names the field of `Limits` that contains the maximum number of entries.
    """

    kind: type[Entry]
    bound: str

    def read(self, text: msgspec.Raw, limits: Limits) -> Any:
        """Return the entries. Raise UnfitJsonError if an entry is invalid or the list has too many entries."""
        most = getattr(limits, self.bound)
        room = _Room(most)
        before = _room.set(room)
        try:
            found = strict_json.decode(text, list[self.kind], bounds_of(limits))  # type: ignore[name-defined]
        except UnfitJsonError:
            if room.left < 0:
                raise UnfitJsonError("invalid-body", Fault("", "items", {"low": 1, "high": most})) from None
            raise
        finally:
            _room.reset(before)
        members = [member for entry in found for member in msgspec.structs.astuple(entry) if member]
        strict_json.check_member_names(bytes(text), members)
        return found


class _Room:
    """The number of further entries that a list's limit permits. Each parsed entry reduces this number."""

    def __init__(self, left: int) -> None:
        self.left = left

    def take(self) -> None:
        """Count one entry. Raise ValueError if the list has too many entries."""
        self.left -= 1
        if self.left < 0:
            raise ValueError("too many")


_room: Final[ContextVar[_Room]] = ContextVar("room for entries")


def parse_apart(
    body: bytes, members: type[msgspec.Struct], entries: Mapping[str, EntryList], limits: Limits
) -> dict[str, Any]:
    """Parse a body that may contain very long lists. The items of these lists stay JSON text.

    The keys of `entries` are the names of the very long lists. `members` is a struct type with a field for each
    permitted member of the body.
    """
    bounds, name, tree = bounds_of(limits), "", dict[str, Any]()
    try:
        found = msgspec.structs.asdict(strict_json.decode(body, members, bounds))
        given = {name: text for name, text in found.items() if text}
        strict_json.check_member_names(body, given.values())
        # The other members may together have the length of an ordinary body.
        if sum(len(memoryview(text)) for name, text in given.items() if name not in entries) > limits.body_bytes:
            raise Problem("body-too-large", limit=limits.body_bytes)
        for name, text in given.items():
            tree[name] = entries[name].read(text, limits) if name in entries else strict_json.parse(bytes(text), bounds)
    except UnfitJsonError as unfit:
        raise problem_of(unfit.below(f"/{name}" if name else "")) from None
    return tree
