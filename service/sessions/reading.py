"""What a loaded session says: its game, its table, and what an audience heard."""

from __future__ import annotations

from functools import cache
from typing import Any, Union

import msgspec

from games.core.game import Event, Game, Heard
from games.core.table import Table
from service.sessions.desk import Desk
from service.sessions.errors import OtherRuleset, UnknownSession
from service.sessions.happenings import HAPPENINGS
from service.store.sessions import Line, Session


def load(desk: Desk, name: str) -> Session:
    """Return a session; raise UnknownSession where there is none."""
    session = desk.store.load(name)
    if session is None:
        raise UnknownSession
    return session


def game_of(desk: Desk, session: Session) -> Game:
    """Return the game of a session; raise OtherRuleset where this service has not got it."""
    game = desk.games.get(session.charter.game)
    if game is None or game.ruleset != session.charter.ruleset:
        raise OtherRuleset(session.charter.ruleset)
    return game


def table_of(game: Game, session: Session) -> Table:
    """Return the table of a session."""
    return game.read(msgspec.json.decode(session.record, type=game.record_type))


def events_of(game: Game, line: Line) -> list[Heard]:
    """Return all events of a line, with their hearers."""
    decoder = _decoder((*game.events, *HAPPENINGS))
    return [Heard(hearers, decoder.decode(event)) for hearers, event in line.heard]


def heard_by(game: Game, line: Line, viewer: int) -> list[Event]:
    """Return the events of a line that a seat, or SPECTATOR, hears."""
    return [heard.event for heard in events_of(game, line) if heard.by(viewer)]


@cache
def _decoder(events: tuple[type[Event], ...]) -> msgspec.json.Decoder[Any]:
    """Return the reader of events of these types."""
    return msgspec.json.Decoder(Union[events])  # noqa: UP007 -- the types come at run time
