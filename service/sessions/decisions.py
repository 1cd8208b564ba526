"""The decisions of a session that is over, each with what its seat knew then: what a review rates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from games.core.checkpoint import checkpoint
from games.core.game import Entry, Game, View
from service.sessions.errors import HistoryCut, NotDealt
from service.sessions.history import check_over
from service.sessions.reading import events_of, read_log, readable
from service.sessions.services import SessionServices
from service.sessions.session_events import TimeRanOut
from service.sessions.states import TableState, course, undone_revisions
from service.store.sessions import LogEntry, Session


@dataclass(frozen=True, slots=True)
class PastDecision:
    """A decision that was made: the line of the history it stands in, counted from 0, the seat, and the move's code.

    `view` is what the seat knew, of nothing that came later and of nobody else's secrets. `legal` is how many moves it
    had. `own_content` says that the move brought content of the player's own, which no list of moves has. `by_bot` says
    that a bot chose it.
    """

    line: int
    seat: int
    code: int
    view: View
    legal: int
    own_content: bool
    by_bot: bool


def past_decisions(services: SessionServices, game: Game, session: Session) -> Iterator[PastDecision]:
    """Yield the decisions of a session that is over, in the order in which they were made.

    What was taken back is left out, and so is what a rule did for a seat whose time ran out. Raise SessionRuns,
    NotDealt, or HistoryCut where the log is not whole.
    """
    check_over(session)
    if not session.dealt:
        raise NotDealt
    log = read_log(services, game, session)
    if len(log) < session.revision:
        raise HistoryCut
    undone, states = undone_revisions(log), course(game, session, log)
    state = next(states)
    for revision, line in log[1:]:
        checkpoint()
        if line.entry is not None and revision not in undone and not _ran_out(game, line):
            yield _decision(game, state, line, line.entry, revision - 1)
        state = next(states)


def _decision(game: Game, before: TableState, line: LogEntry, entry: Entry, number: int) -> PastDecision:
    """Return the decision of a line of the log, made at the state before it."""
    table, seat = before.table, entry.seat
    view, legal = game.view(table, seat), len(game.legal(table, seat))
    seats = before.session.seats if line.seats is None else line.seats  # who moves takes the own seat back from a bot
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
    """Return whether a move was made by a rule, in place of a seat that did not decide in time."""
    return any(isinstance(heard.event, TimeRanOut) for heard in events_of(game, line))
