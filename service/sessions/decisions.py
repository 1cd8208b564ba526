"""Past decisions of a finished session, for game reviews. Each one contains the view of the deciding seat."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from games.core.checkpoint import checkpoint
from games.core.game import Entry, Game, View
from service.sessions.errors import NotDealt
from service.sessions.history import check_over
from service.sessions.reading import events_of, read_whole_log, readable
from service.sessions.services import SessionServices
from service.sessions.session_events import TimeRanOut
from service.sessions.states import TableState, course, undone_revisions
from service.store.sessions import LogEntry, Session


@dataclass(frozen=True, slots=True)
class PastDecision:
    """A past decision of a seat. `view` contains only the knowledge that the seat had when it decided."""

    line: int  # index in the history, counted from 0
    seat: int
    code: int
    view: View
    legal: int  # number of legal moves
    own_content: bool  # whether the player has made a text or shape for the move
    by_bot: bool  # whether a bot chose the move


def past_decisions(services: SessionServices, game: Game, session: Session) -> Iterator[PastDecision]:
    """Yield the decisions of a finished session in order.

    Omit moves that were undone, and moves that the service made after a timeout. Raise SessionRuns if the session has
    not ended. Raise NotDealt if it never had a table. Raise HistoryCut if its log is incomplete.
    """
    check_over(session)
    if not session.dealt:
        raise NotDealt
    log = read_whole_log(services, game, session)
    undone, states = undone_revisions(log), course(game, session, log)
    state = next(states)
    for revision, line in log[1:]:
        checkpoint()
        if line.entry is not None and revision not in undone and not _ran_out(game, line):
            yield _decision(game, state, line, line.entry, revision - 1)
        state = next(states)


def _decision(game: Game, before: TableState, line: LogEntry, entry: Entry, number: int) -> PastDecision:
    table, seat = before.table, entry.seat
    view, legal = game.view(table, seat), len(game.legal(table, seat))
    seats = before.session.seats if line.seats is None else line.seats  # a person's move takes the seat back from a bot
    with readable():
        game.lay(table, entry.content)
        own_content = game.brings_content(game.decode(table, entry.move))
    return PastDecision(
        line=number,
        seat=seat,
        code=entry.move,
        view=view,
        legal=legal,
        own_content=own_content,
        by_bot=seats[seat].level is not None,
    )


def _ran_out(game: Game, line: LogEntry) -> bool:
    return any(isinstance(heard.event, TimeRanOut) for heard in events_of(game, line))
