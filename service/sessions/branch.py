"""Branches: practice tables dealt from one viewer's knowledge of a session, now or at an earlier version.

A branch is computed from the viewer's view alone, so it reveals nothing else. Its table is sampled from all tables that
the view allows, with the probabilities of a fair shuffle.
"""

from __future__ import annotations

from games.core.game import Game, View
from games.core.table import Table
from service.sessions.chance import branch_dice, practice_key
from service.sessions.errors import HistoryCut, NothingToDecide, UnknownVersion
from service.sessions.reading import game_of, read_log, table_of
from service.sessions.services import SessionServices
from service.sessions.states import course
from service.store.sessions import Session


def view_at(services: SessionServices, session: Session, viewer: int, version: int | None) -> tuple[View, int]:
    """Return the view of a seat or SPECTATOR at a version, and the version. The default is the current version.

    Raise UnknownVersion for a future version, HistoryCut if the log does not reach the version, and NothingToDecide if
    the game was over at that version.
    """
    game, now = game_of(services, session), session.versions[viewer]
    if version is not None and version > now:
        raise UnknownVersion(now)
    table = (
        table_of(game, session) if version in {None, now} else _table_at(services, game, session, viewer, version or 0)
    )
    view = game.view(table, viewer)
    if not view.actors:
        raise NothingToDecide
    return view, now if version is None else version


def dealt(game: Game, view: View, seed: str) -> Table:
    """Return a table that a view allows, sampled by a seed."""
    return game.from_view(view, branch_dice(practice_key(seed).hex()))


def _table_at(services: SessionServices, game: Game, session: Session, viewer: int, version: int) -> Table:
    lines = read_log(services, game, session)
    if len(lines) < session.revision:
        raise HistoryCut
    for state in course(game, session, lines):
        if state.session.versions[viewer] == version:
            break
    return state.table
