"""Branches: practice tables that are dealt from one viewer's view of a session.

The table of a branch matches this view. All parts that the view hides are random, as after a fair shuffle. So a branch
reveals no more than this view.
"""

from __future__ import annotations

from games.core.game import Game, View
from games.core.table import Table
from service.sessions.chance import branch_dice, practice_key
from service.sessions.errors import NothingToDecide, UnknownVersion
from service.sessions.reading import game_of, read_whole_log, table_of
from service.sessions.services import SessionServices
from service.sessions.states import course
from service.store.sessions import Session


def view_at(services: SessionServices, session: Session, viewer: int, version: int | None) -> tuple[View, int]:
    """Return a viewer's view of a session at `version`, and this version.

    If `version` is None, use the current version. Raise UnknownVersion if `version` is higher than the current version.
    Raise HistoryCut if `version` is lower and the log is incomplete. Raise NothingToDecide if the game was over at this
    version.
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
    """Return a random table that matches a view. The seed determines the table."""
    return game.from_view(view, branch_dice(practice_key(seed).hex()))


def _table_at(services: SessionServices, game: Game, session: Session, viewer: int, version: int) -> Table:
    lines = read_whole_log(services, game, session)
    for state in course(game, session, lines):
        if state.session.versions[viewer] == version:
            break
    return state.table
