"""Converts sessions to and from their form in Redis: fields, and arguments of scripts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, cast

import msgspec

from service.store import keys
from service.store.agreements import Agreements
from service.store.clock import Calendar
from service.store.devices import SeatDevices
from service.store.owner_index import entry_of
from service.store.sessions import (
    STATUSES,
    Charter,
    LogEntry,
    Outcome,
    Seat,
    Session,
    SessionChange,
    UndoRequest,
    Written,
    coarse,
)

MAX_CACHED_CHARTERS: Final = 512
"""Number of decoded charters (the fixed settings of a session) that are cached."""

Fields = list[bytes | None]
"""Undecoded fields of a session, in the order of `FIELDS`."""

LogRows = Sequence[tuple[bytes, dict[bytes, bytes]]]
"""Undecoded log entries of a session."""

FIELDS: Final = (
    "charter",
    "revision",
    "status",
    "versions",
    "opened",
    "seats",
    "standing",
    "record",
    "moved",
    "kept",
    "banks",
    "undo",
    "undone",
    "rematch",
    "push",
    "decided",
    "agreements",
    "devices",
    "late",
)


def decode_session(session_id: str, found: Fields, calendar: Calendar) -> Session | None:
    """Decode a session. Return None if the session does not exist.

    Raise MsgspecError or ValueError if a field is invalid.
    """
    *fields, moved, kept, banks, undo, undone, rematch, push, decided, agreements, devices, late = found
    if None in fields:
        return None
    charter, revision, status, versions, opened, seats, standing, record = cast("list[bytes]", fields)
    reached = unpack(versions)
    sitting = SEATS.decode(seats)
    session = Session(
        id=session_id,
        charter=charter_of(charter),
        revision=int(revision),
        status=status.decode(),
        versions=reached,
        opened=unpack(opened),
        seats=sitting,
        standing=msgspec.json.decode(standing, type=Standing) if standing else ((),) * len(sitting),
        record=record,
        moved=unpack_moved(reached, moved or b""),
        kept=kept is not None,
        **banks_of(unpack(banks or b"")),
        decided=unpack(decided or b""),
        late=unpack(late or b""),
        agreements=msgspec.json.decode(agreements, type=Agreements) if agreements else Agreements(),
        undo=msgspec.json.decode(undo, type=UndoRequest) if undo else None,
        undone=int(undone or 0),
        rematch=(rematch and rematch.decode()) or None,
        push=msgspec.json.decode(push, type=tuple[str, ...]) if push else ("",) * len(sitting),
        devices=DEVICES.decode(devices) if devices else (),
        held=None,
        calendar=calendar,
    )
    check_shape(session)
    return session


def outcome_of(session: Session, answer: Sequence[Any]) -> Outcome:
    """Decode the response of the script that writes a change."""
    return Written(answer[0].decode()), answer[1] if len(answer) > 1 else session.revision


@lru_cache(MAX_CACHED_CHARTERS)
def charter_of(text: bytes) -> Charter:
    """Decode the fixed settings of a session. Raise ValueError if a secret is not hexadecimal."""
    charter = msgspec.json.decode(text, type=Charter)
    bytes.fromhex(charter.key)
    bytes.fromhex(charter.salt)
    return charter


def check_shape(session: Session) -> None:
    """Raise ValueError if a session contains impossible values, for example lists of different lengths."""
    seats = len(session.seats)
    if (
        not (len(session.versions) == len(session.moved) == seats + 1)
        or not (len(session.opened) == len(session.standing) == len(session.push) == seats)
        or not (len(session.banks) == len(session.answered) in {0, seats})
        or not {len(session.decided), len(session.late)} <= {0, seats}
        or len(session.devices) not in {0, seats}
    ):
        raise ValueError(f"a session of {seats} seats has rows of other lengths")
    if session.status not in STATUSES or session.revision < 1 or min(session.versions) < 0:
        raise ValueError(f"a session has no status {session.status} at revision {session.revision}")


def decode_log(rows: LogRows) -> list[tuple[int, LogEntry]]:
    """Decode log entries from Redis. Return each entry with its revision."""
    return [(int(number.split(b"-")[0]), msgspec.json.decode(row[b"line"], type=LogEntry)) for number, row in rows]


Standing = tuple[tuple[str, ...], ...]

SEATS: Final = msgspec.json.Decoder(tuple[Seat, ...])
DEVICES: Final = msgspec.json.Decoder(tuple[SeatDevices, ...])


def keys_of(session: Session) -> list[str]:
    """Return the Redis keys that a script needs to write a session.

    If an API key created the session, an index lists the session. In this case, the result includes the Redis key of
    this index.
    """
    founder = session.charter.founder
    indexes = [] if founder is None else [keys.index_key(session.id, founder)]
    own = [keys.session(session.id), keys.log(session.id), keys.due_of(session.id)]
    return [*own, keys.listed_with(session.id), *indexes]


def listed_entry(session: Session) -> str:
    """Return a session's entry in the index of listed sessions. The time in the entry is rounded."""
    return entry_of(coarse(session.charter.began), session.id)


def listing_of(session: Session) -> str:
    """Return the script argument that updates the index of listed sessions."""
    # "+" adds the session's entry, and "-" removes it. The argument is "" for a session that is not listed.
    return f"{'+' if session.joinable else '-'}{listed_entry(session)}" if session.charter.listed else ""


def creation_args(creation: SessionChange) -> list[Any]:
    session = creation.after
    fields = [
        *("charter", msgspec.json.encode(session.charter)),
        *("revision", session.revision),
        *("status", session.status),
        *("versions", pack(session.versions)),
        *("opened", pack(session.opened)),
        *clock_fields(session),
        *("moved", pack_moved(session)),
        *("seats", msgspec.json.encode(session.seats)),
        *("standing", encode_standing(session.standing)),
        *("record", session.record),
        *(("devices", encode_devices(session.devices)) if session.devices else ()),
    ]
    entry, notifications = creation.log_entry, " ".join(creation.notifications)
    return [
        *(session.id, due_argument(creation.due), f"{session.revision}-0", msgspec.json.encode(entry)),
        *(entry.at, notifications, listed_entry(session) if session.joinable else "", len(fields), *fields),
    ]


def banks_of(numbers: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
    """Decode the field `banks` of `clock_fields`.

    The result contains the time bank of each seat, and the time at which each seat answered.
    """
    seats = len(numbers) // 2
    return {"banks": numbers[:seats], "answered": numbers[seats:]}


def clock_fields(session: Session) -> list[str]:
    """Encode the clocks of a session, except the times `Session.opened`.

    The encoded field `banks` contains `Session.banks` and `Session.answered`.
    """
    return [
        *(("banks", pack((*session.banks, *session.answered))) if session.banks else ()),
        *(("decided", pack(session.decided)) if session.decided else ()),
        *(("late", pack(session.late)) if session.late else ()),
    ]


def due_argument(due: int | None) -> int | str:
    """Encode a due time as a script argument. None is encoded as "", which means never."""
    return "" if due is None else due


def encode_standing(standing: Sequence[Sequence[str]]) -> bytes:
    """Encode the answers that persons have given in advance. Return b"" if there are none."""
    return msgspec.json.encode(standing) if any(standing) else b""


def encode_push(push: Sequence[str]) -> bytes:
    """Encode the names of push subscriptions. Return b"" if there are none."""
    return msgspec.json.encode(push) if any(push) else b""


def push_field(seat: int) -> str:
    return f"push{seat}"


def encode_devices(devices: Sequence[SeatDevices]) -> bytes:
    """Encode the devices of all seats. Return b"" if there are none."""
    return msgspec.json.encode(devices) if devices else b""


def pack_moved(session: Session) -> str:
    """Encode the current version of each viewer, and the time at which the viewer reached this version."""
    # Earlier releases write versions without times. `unpack_moved` recognises outdated times by their versions.
    return pack([number for pair in zip(session.versions, session.moved, strict=True) for number in pair])


def unpack_moved(versions: tuple[int, ...], row: bytes) -> tuple[int, ...]:
    """Return the time at which each viewer reached its current version. `versions` contains the current versions.

    For each viewer, `row` contains a version and the time of this version (`pack_moved`). If this version is not the
    viewer's current version, the time is out of date. Then return 0 in its place.
    """
    kept = unpack(row) or (0,) * (2 * len(versions))
    if kept[::2] == versions:
        return kept[1::2]
    return tuple(at if of == version else 0 for version, of, at in zip(versions, kept[::2], kept[1::2], strict=True))


def pack(numbers: Sequence[int]) -> str:
    return " ".join(map(str, numbers))


def unpack(row: bytes) -> tuple[int, ...]:
    return tuple(map(int, row.split()))
