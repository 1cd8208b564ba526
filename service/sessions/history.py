"""The history of a session. While the session runs, a viewer gets only the part that this viewer knows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from games.core.checkpoint import checkpoint
from games.core.game import Draw, Entry, Game, Heard, Move
from games.core.table import Table
from service.sessions.errors import SessionRuns
from service.sessions.reading import events_of, game_of, read_whole_log
from service.sessions.services import SessionServices
from service.sessions.states import initial_table, recorded_table, replay_move, set_up_again, undone_revisions
from service.store.sessions import LogEntry, Session


class Played(NamedTuple):
    """A past move, and the table before this move."""

    entry: Entry
    move: Move
    before: Table


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """An entry of a history: its time and its events."""

    at: int
    version: int | None  # the viewer's version after the entry, None if unchanged
    heard: list[Heard]
    played: Played | None = None  # the complete move, set only after the end of the session
    undone: bool = False  # whether an undo took the move back


@dataclass(frozen=True, slots=True)
class VisibleHistory:
    """A part of a history. `total` is the number of entries in the whole history."""

    complete: bool
    total: int
    lines: list[HistoryEntry]
    # Random outcomes of the set-up. They are set only after the end, and if all seats were claimed.
    outcomes: list[Draw] = field(default_factory=list)
    # The first table of a session from a view or a snapshot. It is set only after the end.
    dealt: Table | None = None


def history(
    services: SessionServices, session: Session, viewer: int, first: int = 0, most: int | None = None
) -> VisibleHistory:
    """Return at most `most` entries of the history, starting with the entry `first`. Return all if `most` is None.

    Entries are counted from 0. While the session runs, they contain only what `viewer` knows.
    """
    game = game_of(services, session)
    log = read_whole_log(services, game, session)
    lines, undone = [line for _, line in log], undone_revisions(log)
    last = None if most is None else first + most
    if not session.over:
        own = [(revision, line) for revision, line in log if line.versions[viewer]]
        told = [
            HistoryEntry(
                line.at,
                line.versions[viewer],
                [heard for heard in events_of(game, line) if heard.by(viewer)],
                undone=revision in undone,
            )
            for revision, line in own[first:last]
        ]
        return VisibleHistory(complete=False, total=len(own), lines=told)
    told = [
        replace(entry, undone=revision in undone)
        for revision, entry in enumerate(_whole(game, session, lines[:last], viewer, first), first + 1)
    ]
    drawn = next((line.outcomes for line in lines if line.dealt), lines[0].outcomes)
    return VisibleHistory(
        complete=True, total=len(lines), lines=told, outcomes=drawn, dealt=recorded_table(game, lines[0])
    )


def check_over(session: Session) -> None:
    if not session.over:
        raise SessionRuns


def _whole(game: Game, session: Session, lines: Sequence[LogEntry], viewer: int, first: int) -> list[HistoryEntry]:
    table = initial_table(game, session, lines[0])
    told = []
    for number, line in enumerate(lines):
        checkpoint()
        played = None
        if line.dealt:
            table = set_up_again(game, session, line)
        if line.back_to is not None:
            table = recorded_table(game, line)
        if line.entry is not None and table is not None:
            before = table.clone()
            played = Played(line.entry, replay_move(game, table, line.entry), before)
        if number >= first:
            told.append(HistoryEntry(line.at, line.versions[viewer] or None, events_of(game, line), played))
    return told
