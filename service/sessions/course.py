"""The course of a session: how it stood after each line of its log, which is all that it takes to know."""

from __future__ import annotations

from dataclasses import dataclass, replace

import msgspec

from games.core.dice import ScriptedDice
from games.core.game import Game, Outcome
from games.core.table import Table
from service.sessions.reading import table_of
from service.sessions.turns import openings
from service.store.sessions import FINISHED, RUNNING, Line, Session


@dataclass(frozen=True, slots=True)
class Moment:
    """A session as it stood at its revision, with the table of that moment; its record may be that of another."""

    session: Session
    table: Table


def present(game: Game, session: Session) -> Moment:
    """Return the moment at which a session was loaded."""
    return Moment(session, table_of(game, session))


def founded(game: Game, session: Session, first: Line) -> Moment:
    """Return the moment at which a session began."""
    seats = len(session.charter.seats)
    options = msgspec.convert(session.charter.options, game.options_type)
    table = game.new(seats, options, _scripted(game, first.outcomes))
    actors = game.actors(table)
    begun = replace(
        session,
        revision=1,
        status=RUNNING if actors else FINISHED,
        versions=tuple(first.versions),
        opened=openings((0,) * seats, None, actors, first.at),
    )
    return Moment(begun, table)


def followed(game: Game, moment: Moment, revision: int, line: Line) -> Moment:
    """Return the moment after the next line; the table is played on, so the moment handed in is past."""
    session, table = moment.session, moment.table
    status, opened = line.status or session.status, session.opened
    if line.entry is not None:
        table.apply(line.entry.seat, line.entry.move, _scripted(game, line.entry.outcomes), None)
        actors = game.actors(table)
        opened = openings(opened, line.entry.seat, actors, line.at)
        status = RUNNING if actors else FINISHED
    if status != RUNNING:
        opened = (0,) * len(opened)
    versions = tuple(new or old for new, old in zip(line.versions, session.versions, strict=True))
    return Moment(replace(session, revision=revision, status=status, versions=versions, opened=opened), table)


def _scripted(game: Game, outcomes: list[Outcome]) -> ScriptedDice:
    """Return dice that answer what was written down."""
    return ScriptedDice(game.read_outcomes(outcomes), None)
