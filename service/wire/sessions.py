"""How a session is told on the wire: its seats, events and history, in the reader's language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from games.core.game import Event, Game, Outcome, View
from games.core.table import SPECTATOR, Table
from service.http.json_schemas import AnyEvent, AnyMove
from service.http.problems import TEXTS
from service.sessions.history import HistoryEntry
from service.sessions.resign import losers
from service.sessions.session_events import SessionEvent
from service.sessions.turns import pace
from service.snapshots.fairness import ChanceKeys
from service.snapshots.records import Seat
from service.store.sessions import ABORTED, FINISHED, FORFEITED, RUNNING, WAITING, Session
from service.wire.moves import HeardEvent, Standing, once, standing


class ToldEvent(msgspec.Struct, frozen=True):
    """What became known, in a sentence too."""

    event: AnyEvent
    text: str


class HistoryLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a session's history: the version it led to, if the reader's moved, and what became known.

    After the end each event stands there once, as those heard it who learnt most of it, with all hearers; and the move
    itself is told, which replays with these outcomes.
    """

    at: str
    version: int | UnsetType = UNSET
    seat: Seat | UnsetType = UNSET
    code: int | UnsetType = UNSET
    move: AnyMove | UnsetType = UNSET
    label: str | UnsetType = UNSET
    outcomes: list[Outcome] | UnsetType = UNSET
    events: list[HeardEvent]


def session_told(game: Game, session: Session, table: Table, viewer: int, language: str) -> dict[str, Any]:
    """Return how a session stands for a seat, or SPECTATOR: the state that a stream begins with and changes."""
    view = game.view(table, viewer)
    over = outcome_told(game, session, table, language)
    actors = view.actors if session.status == RUNNING else []
    return {
        "id": session.id,
        "game": game.slug,
        "ruleset": game.ruleset,
        "version": session.versions[viewer],
        "practice": session.charter.practice,
        "seats": seats_told(session),
        "you": None if viewer == SPECTATOR else {"seat": viewer},
        "status": session.status,
        "actors": actors,
        **fairness_told(session),
        **clock_told(session),
        **pace_told(game, session),
        **deadlines_told(session, actors),
        "headline": over.headline if over else _headline(game, session, view, language),
        **({} if over is None else {"outcome": over}),
        "view": view,
    }


def outcome_told(game: Game, session: Session, table: Table, language: str) -> Standing | None:
    """Return how a session ended, or None for one that runs or has no result."""
    if session.status == FORFEITED:
        out = losers(session)
        sentence = TEXTS.say(language, "headlines", "forfeited", names_of(game, session, language), out=out)
        return Standing(game.forfeit(len(session.seats), out), sentence)
    return standing(game, table, language, names_of(game, session, language)) if session.status == FINISHED else None


def fairness_told(session: Session) -> dict[str, Any]:
    """Return what the chance of a session was fixed by, and by which keys once it is over; nothing for practice."""
    if session.charter.practice:
        return {}
    keys = ChanceKeys.of(session.charter.key)
    revealed = {"keys": keys} if session.over else {}
    return {"fairness": {"commitment": keys.commitment(session.id), **revealed}}


def clock_told(session: Session) -> dict[str, Any]:
    """Return the clock of a session, if it has one."""
    clock = session.charter.clock
    if clock is None:
        return {}
    bot = {} if clock.level is None else {"bot": {"level": clock.level}}
    return {"clock": {"move_ms": clock.move_ms, "policy": clock.policy, **bot}}


def pace_told(game: Game, session: Session) -> dict[str, Any]:
    """Return how long bots wait at least, if that may be longer than their levels' own delays."""
    least = pace(game, session)
    return {"bot_ms": least} if least else {}


def deadlines_told(session: Session, actors: Sequence[int]) -> dict[str, Any]:
    """Return when the time runs out for those who were asked, whether or not they have answered."""
    clock = session.charter.clock
    if clock is None:
        return {}
    people = [seat for seat in actors if session.seats[seat].level is None]
    due = {seat: timestamp(session.opened[seat] + clock.move_ms + session.ahead) for seat in people}
    return {"deadlines": [{"seat": seat, "at": at} for seat, at in due.items()]}


def seats_told(session: Session, **secrets: Mapping[int, str]) -> list[dict[str, Any]]:
    """Return who sits where, with a secret under its name where seats have one to be told."""
    told = []
    for number, seat in enumerate(session.seats):
        entry: dict[str, Any] = {"seat": number, "kind": seat.kind}
        if seat.name is not None:
            entry["name"] = seat.name
        if seat.level is not None:
            entry["bot"] = {"level": seat.level}
        if seat.out:
            entry["out"] = True
        told.append(entry | {name: secret[number] for name, secret in secrets.items() if number in secret})
    return told


def names_of(game: Game, session: Session, language: str) -> list[str]:
    """Return what the seats are called: as the players are, or as the game calls them."""
    usual = game.seat_names(len(session.seats), language)
    return [seat.name or name for seat, name in zip(session.seats, usual, strict=True)]


def event_told(game: Game, event: Event, language: str, names: Sequence[str]) -> str:
    """Say what happened, at the game's table or around it."""
    if isinstance(event, SessionEvent):
        return TEXTS.tell(language, "events", event, names)
    return game.tell(event, language, names)


def events_told(game: Game, session: Session, events: Sequence[Event], language: str) -> list[ToldEvent]:
    """Return events for one who heard them."""
    names = names_of(game, session, language)
    return [ToldEvent(event, event_told(game, event, language, names)) for event in events]


def line_told(game: Game, session: Session, line: HistoryEntry, language: str, *, complete: bool) -> HistoryLine:
    """Return a line of a history; a complete one says who heard what."""
    names = names_of(game, session, language)

    def say(event: Event) -> str:
        return event_told(game, event, language, names)

    if complete:
        events = once(len(names), line.heard, say)
    else:
        events = [HeardEvent(heard.event, say(heard.event)) for heard in line.heard]
    whole: dict[str, Any] = {}
    if line.played is not None:
        entry, move, before = line.played
        whole = {
            "seat": entry.seat,
            "code": entry.move,
            "move": move,
            "label": game.label(move, language, game.view(before, entry.seat), names),
            "outcomes": entry.outcomes,
        }
    return HistoryLine(at=timestamp(line.at + session.ahead), version=line.version or UNSET, events=events, **whole)


def timestamp(milliseconds: int) -> str:
    """Return a time as RFC 3339 writes it, in UTC."""
    moment = datetime.fromtimestamp(milliseconds / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _headline(game: Game, session: Session, view: View, language: str) -> str:
    """Say in one sentence how a session without a result stands."""
    if session.status in {WAITING, ABORTED}:
        return TEXTS.say(language, "headlines", session.status)
    return game.headline(view, language, names_of(game, session, language))
