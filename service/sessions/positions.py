"""Earlier positions of a session. Each position is the view that a seat or the spectators had."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from games.core.game import Game, View
from service.sessions.reading import read_whole_log, table_of
from service.sessions.services import SessionServices
from service.sessions.states import course
from service.store.sessions import Session


@dataclass(frozen=True, slots=True)
class Position:
    """A viewer's view at one version of the session, and the session at this version."""

    session: Session
    view: View


def positions(
    services: SessionServices, game: Game, session: Session, viewer: int, versions: Collection[int]
) -> dict[int, Position]:
    """Return the position that `viewer` saw at each of the versions. Omit versions that do not exist.

    Raise HistoryCut if the log is not complete, or NotDealt if the session had no table at one of the versions.
    """
    found, wanted = dict[int, Position](), set(versions)
    now = session.versions[viewer]
    if now in wanted:
        found[now] = Position(session, game.view(table_of(game, session), viewer))
    if wanted <= found.keys() or min(wanted) > now:
        return found
    lines = read_whole_log(services, game, session)
    for state in course(game, session, lines):
        version = state.session.versions[viewer]
        if version in wanted and version not in found:
            found[version] = Position(state.session, game.view(state.table, viewer))
        if wanted <= found.keys():
            break
    return found
