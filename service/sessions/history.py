"""What has happened: to one audience while a session runs, and all of it after the end."""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec

from games.core.dice import ScriptedDice
from games.core.game import Entry, Game, Heard, Move, Outcome
from games.core.table import Table
from service.sessions.desk import Desk
from service.sessions.reading import events_of, game_of
from service.store.sessions import Line, Session


@dataclass(frozen=True, slots=True)
class Told:
    """One line of a history: when, at which version of the reader's audience if it moved, and what became known.

    `entry` and `move` are the whole truth of a move, told after the end.
    """

    at: int
    version: int | None
    heard: list[Heard]
    entry: Entry | None = None
    move: Move | None = None


@dataclass(frozen=True, slots=True)
class History:
    """A history; a complete one begins with what chance answered at the set-up."""

    complete: bool
    lines: list[Told]
    outcomes: list[Outcome] = field(default_factory=list)


def history(desk: Desk, session: Session, viewer: int) -> History:
    """Return what a seat, or SPECTATOR, may read: its own knowledge while the session runs, everything afterwards."""
    game = game_of(desk, session)
    lines = [line for _, line in desk.store.lines(session.name, last=session.revision)]
    if not session.over:
        return History(
            complete=False,
            lines=[
                Told(line.at, line.versions[viewer], [heard for heard in events_of(game, line) if heard.by(viewer)])
                for line in lines
                if line.versions[viewer]
            ],
        )
    table = _begun(game, session, lines[0])
    return History(
        complete=True, lines=[_whole(game, table, line, viewer) for line in lines], outcomes=lines[0].outcomes
    )


def _begun(game: Game, session: Session, first: Line) -> Table:
    """Return the table as it was set up."""
    options = msgspec.convert(session.charter.options, game.options_type)
    return game.new(len(session.seats), options, ScriptedDice(game.read_outcomes(first.outcomes), None))


def _whole(game: Game, table: Table, line: Line, viewer: int) -> Told:
    """Return a line with everything in it, and play it on at the table."""
    version = line.versions[viewer] or None
    if line.entry is None:
        return Told(line.at, version, events_of(game, line))
    move = game.decode(table, line.entry.move)
    table.apply(line.entry.seat, line.entry.move, ScriptedDice(game.read_outcomes(line.entry.outcomes), None), None)
    return Told(line.at, version, events_of(game, line), line.entry, move)
