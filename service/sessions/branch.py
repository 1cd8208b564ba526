"""Branches: tables dealt anew from what one viewer knows of a session, or knew at an earlier version of its own.

Nothing but that view goes into a branch, so it reveals nothing: many branches show many tables that the view
allows, as likely as a fair shuffle makes them, and could have dealt them from the view alone.
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


def seen_at(services: SessionServices, session: Session, viewer: int, version: int | None) -> tuple[View, int]:
    """Return what a seat, or SPECTATOR, knew at a version of its own, or knows now; and the version.

    Raise UnknownVersion for one that it has not reached, HistoryCut where the log does not lead there, and
    NothingToDecide where the game was over.
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
    """Return a table as the owner of a view may imagine it, by a seed."""
    return game.from_view(view, branch_dice(practice_key(seed).hex()))


def _table_at(services: SessionServices, game: Game, session: Session, viewer: int, version: int) -> Table:
    """Return the table as it stood when a viewer came to a version; later moves are not read."""
    lines = read_log(services, game, session)
    if len(lines) < session.revision:
        raise HistoryCut
    for state in course(game, session, lines):
        if state.session.versions[viewer] == version:
            break
    return state.table
