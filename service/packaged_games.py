"""An application of our games and of those out of packages, without those that fit no contract."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from flask import Flask

from games.core.admission import UnfitGameError, prefix
from games.core.game import Game
from games.core.registry import Found, RefusedGame, reason_of
from service.telemetry.refused_games import log_refused


def make_with_fitting_games(make: Callable[[Mapping[str, Game]], Flask], every: Found) -> Flask:
    """Return the application of all games but those of packages with which there is no contract; each gets a line.

    With packages the contract is written at once, so that what is wrong with it shows here, and not at a reader's.
    """
    if not every.packages:
        return make(every.games)
    try:
        return whole(make(every.games))
    except Exception:  # noqa: BLE001 -- a stranger's types may break anything; one of ours is raised again below
        kept = {slug: game for slug, game in every.games.items() if slug not in every.packages}
    for slug, package in every.packages.items():
        try:
            whole(make({**kept, slug: every.games[slug]}))
        except Exception as error:  # noqa: BLE001 -- as above
            log_refused(RefusedGame(package, slug, reason_of(error)))
        else:
            kept[slug] = every.games[slug]
    return make(kept)


def whole(app: Flask) -> Flask:
    """Return an application whose contract can be written; raise what prevents it."""
    _ = app.extensions["openapi"].text
    return app


def check_prefixes(games: Iterable[str], components: Iterable[str]) -> None:
    """Raise UnfitGameError where a component of the service begins as those of a game do."""
    for slug in games:
        for name in components:
            if name.startswith(prefix(slug)):
                raise UnfitGameError(f"its slug {slug} is taken: the service's own {name} begins like its types")
