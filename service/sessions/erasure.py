"""Erases a person's name and texts from a session and its log. Random letters replace each text.

If an erasure is interrupted, a second call completes it.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection
from typing import Any, Final

import msgspec

from service.sessions.change import PlannedChange, change
from service.sessions.errors import HistoryCut, NoSuchSeat, SessionError, SessionRuns, TooManyWriters, UnknownSession
from service.sessions.evolution import migrate
from service.sessions.mending import replayed
from service.sessions.push import unsubscribe
from service.sessions.reading import find, game_of, load, table_of
from service.sessions.seating import plan_public_change, with_seats
from service.sessions.services import SessionServices
from service.sessions.tokens import OWNER
from service.store.sessions import LogEntry, Session

ERASED_NAME: Final = "•••"
"""Displayed name of an erased person in the states before the erasure. In later states, the seat has no name."""

ERASE_TRIES: Final = 8
LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
MIN_TEXT_CHARACTERS: Final = 2
"""Minimum length of a text that is erased. A single letter reveals nothing about a person."""

Lines = list[tuple[int, LogEntry]]


def erase_seat(services: SessionServices, session: Session, number: int) -> list[str]:
    """Erase the names and texts of all persons who have sat at seat `number` of a session.

    Erase them in the session's branches and rematches, too. Return the ids of all these sessions.

    Raise NoSuchSeat if there is no such seat, or SessionRuns if the session still needs the texts. Raise
    TooManyWriters, UnknownSession or TokenReplaced if a change cannot be written.
    """
    if number >= len(session.seats):
        raise NoSuchSeat
    # The running game needs its texts. A name, a push subscription and phrases can be erased at any time.
    if not session.over and _texts_of(services.store.log_entries(session.id, last=session.revision), number):
        raise SessionRuns
    return _erase(services, session, number, {})


def _erase(services: SessionServices, session: Session, number: int, masks: dict[str, str]) -> list[str]:
    def make(loaded: Session) -> PlannedChange | None:
        if loaded.seats[number].name is None:
            return None
        return plan_public_change(services, loaded, with_seats(loaded, [number], name=None), [])

    after, _ = change(services, session, make, OWNER)
    unsubscribe(services, after, number)
    services.store.phrases.forget(session.id, number)
    _rewrite(services, session.id, number, masks)
    erased = [session.id]
    for branch_id in services.store.branches(session.id):
        branch = find(services, branch_id)
        erased += [] if branch is None else _erase(services, branch, number, masks)
    following = find(services, after.rematch) if after.rematch else None
    return erased + ([] if following is None else erase_seat(services, following, (number + 1) % len(session.seats)))


def _rewrite(services: SessionServices, session_id: str, number: int, masks: dict[str, str]) -> None:
    for _ in range(ERASE_TRIES):
        session = services.store.load(session_id)
        if session is None:
            raise UnknownSession
        lines = services.store.log_entries(session_id, last=session.revision)
        for text in _texts_of(lines, number):
            masks.setdefault(text, _mask(text, masks.values()))
        written = [(revision, _without(line, number, masks)) for revision, line in lines]
        record = _masked_json(session.record, masks)
        if services.store.rewrite(session, record, written):
            if masks:
                _check(services, session_id)
            return
    raise TooManyWriters


def _check(services: SessionServices, session_id: str) -> None:
    """Delete a session if its table cannot be read without the erased texts.

    It is more important to erase the texts than to keep the session.
    """
    try:
        session = load(services, session_id)
        table_of(game_of(services, session), session)
        replayed(services, migrate(services.games, session))
    except HistoryCut:
        return
    except SessionError:
        services.store.delete(session_id)


def _texts_of(lines: Lines, number: int) -> list[str]:
    contents = [line.entry.content for _, line in lines if line.entry is not None and line.entry.seat == number]
    parts = {part for content in contents if isinstance(content, str) for part in content.split("\n")}
    texts = {text for part in parts if (text := _text_in(part)) and len(text) >= MIN_TEXT_CHARACTERS}
    return sorted(texts, key=lambda text: (-len(text), text))


def _text_in(part: str) -> str | None:
    # a content is a text itself, or lines of JSON: strings are texts, objects are sculptures
    try:
        found = msgspec.json.decode(part)
    except msgspec.DecodeError:
        return part
    return found if isinstance(found, str) else None if isinstance(found, (dict, list)) else part


def _mask(text: str, taken: Collection[str]) -> str:
    while True:
        mask = "".join(secrets.choice(LETTERS) for _ in text)
        if mask not in taken:
            return mask


def _without(line: LogEntry, number: int, masks: dict[str, str]) -> LogEntry:
    seats = line.seats and [
        msgspec.structs.replace(seat, name=ERASED_NAME) if place == number and seat.name is not None else seat
        for place, seat in enumerate(line.seats)
    ]
    entry = line.entry
    if entry is not None and isinstance(entry.content, str):
        entry = msgspec.structs.replace(entry, content=_masked(entry.content, masks))
    heard = [(hearers, msgspec.Raw(_masked_json(bytes(event), masks))) for hearers, event in line.heard]
    record = msgspec.Raw(_masked_json(bytes(line.record), masks)) if bytes(line.record) else line.record
    return msgspec.structs.replace(line, seats=seats, entry=entry, heard=heard, record=record)


def _masked_json(text: bytes, masks: dict[str, str]) -> bytes:
    return msgspec.json.encode(_walk(msgspec.json.decode(text), masks)) if text and masks else text


def _walk(value: Any, masks: dict[str, str]) -> Any:
    if isinstance(value, str):
        return _masked(value, masks)
    if isinstance(value, list):
        return [_walk(each, masks) for each in value]
    if isinstance(value, dict):
        return {name: _walk(each, masks) for name, each in value.items()}
    return value


def _masked(text: str, masks: dict[str, str]) -> str:
    for known, mask in masks.items():
        text = text.replace(known, mask)
    return text
