"""How a session is told on the wire: its seats, events and history, in the reader's language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from games.core.game import Event, Game, Heard, Outcome
from games.core.table import SPECTATOR, Table
from service.contract.problems import TEXTS
from service.contract.shapes import Hearer, Seat, standing
from service.contract.structs import AnyEvent, AnyMove
from service.sessions.history import Told
from service.store.sessions import ABORTED, RUNNING, Charter, Session


class ToldEvent(msgspec.Struct, frozen=True):
    """What became known, in a sentence too; after the end of a session also who heard it."""

    event: AnyEvent
    text: str
    hearers: list[Hearer] | UnsetType = UNSET


class HistoryLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a session's history: the version it led to, if the reader's moved, and what became known.

    The move itself is told after the end; it replays with these outcomes.
    """

    at: str
    version: int | UnsetType = UNSET
    seat: Seat | UnsetType = UNSET
    code: int | UnsetType = UNSET
    move: AnyMove | UnsetType = UNSET
    label: str | UnsetType = UNSET
    outcomes: list[Outcome] | UnsetType = UNSET
    events: list[ToldEvent]


def session_told(game: Game, session: Session, table: Table, viewer: int, language: str) -> dict[str, Any]:
    """Return how a session stands for a seat, or SPECTATOR: the state that a stream begins with and changes."""
    view = game.view(table, viewer)
    over = standing(game, table, language)
    aborted = session.status == ABORTED
    return {
        "id": session.name,
        "game": game.slug,
        "ruleset": game.ruleset,
        "version": session.versions[viewer],
        "practice": session.charter.practice,
        "seats": seats_told(session.charter),
        "you": None if viewer == SPECTATOR else {"seat": viewer},
        "status": session.status,
        "actors": view.actors if session.status == RUNNING else [],
        "headline": TEXTS.say(language, "headlines", "aborted") if aborted else game.headline(view, language),
        **({} if over is None else {"outcome": over}),
        "view": view,
    }


def seats_told(charter: Charter, tokens: Mapping[int, str] | None = None) -> list[dict[str, Any]]:
    """Return who sits where, with tokens where they are handed in."""
    told = []
    for number, seat in enumerate(charter.seats):
        entry: dict[str, Any] = {"seat": number, "kind": seat.kind}
        if seat.name is not None:
            entry["name"] = seat.name
        if seat.level is not None:
            entry["bot"] = {"level": seat.level}
        if tokens and number in tokens:
            entry["token"] = tokens[number]
        told.append(entry)
    return told


def names_of(game: Game, charter: Charter, language: str) -> list[str]:
    """Return what the seats are called: as the players are, or as the game calls them."""
    usual = game.seat_names(len(charter.seats), language)
    return [seat.name or name for seat, name in zip(charter.seats, usual, strict=True)]


def events_told(game: Game, charter: Charter, events: Sequence[Event], language: str) -> list[ToldEvent]:
    """Return events for one who heard them."""
    names = names_of(game, charter, language)
    return [ToldEvent(event, game.tell(event, language, names)) for event in events]


def line_told(game: Game, charter: Charter, line: Told, language: str, *, complete: bool) -> HistoryLine:
    """Return a line of a history; a complete one says who heard what."""
    names = names_of(game, charter, language)
    events = [
        ToldEvent(
            heard.event,
            game.tell(heard.event, language, names),
            _hearers(heard, len(names)) if complete else UNSET,
        )
        for heard in line.heard
    ]
    whole: dict[str, Any] = {}
    if line.entry is not None and line.move is not None:
        whole = {
            "seat": line.entry.seat,
            "code": line.entry.move,
            "move": line.move,
            "label": game.label(line.move, language),
            "outcomes": line.entry.outcomes,
        }
    return HistoryLine(at=timestamp(line.at), version=line.version or UNSET, events=events, **whole)


def timestamp(milliseconds: int) -> str:
    """Return a time as RFC 3339 writes it, in UTC."""
    moment = datetime.fromtimestamp(milliseconds / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _hearers(heard: Heard, seats: int) -> list[int | str]:
    """Return who heard an event."""
    return [seat for seat in range(seats) if heard.by(seat)] + (["spectators"] if heard.by(SPECTATOR) else [])
