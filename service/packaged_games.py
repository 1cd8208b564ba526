"""The application with the bundled games and with the installed third-party games that fit the API contract."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from flask import Flask

from games.core.admission import UnfitGameError, prefix
from games.core.game import Game
from games.core.registry import Found, RefusedGame, reason_of
from service.telemetry.refused_games import log_refused


def make_with_fitting_games(make: Callable[[Mapping[str, Game]], Flask], every: Found) -> Flask:
    """Return the application with all games that fit the API contract. Log the third-party games that do not fit."""
    if not every.packages:
        return make(every.games)
    try:
        # This builds the OpenAPI document. Otherwise, an error would appear only in a request.
        return whole(make(every.games))
    except Exception:  # noqa: BLE001 -- a package's types may break anything; an error of our own games is raised again below
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
    """Build the OpenAPI document of an application. Return the application.

    If the build fails, its exception is raised.
    """
    app.extensions["openapi"].text()
    return app


def check_prefixes(games: Iterable[str], components: Iterable[str]) -> None:
    """Raise UnfitGameError if one of the service's own schemas has a name that begins with the prefix of a game.

    `components` contains the names of the service's own schemas.
    """
    for slug in games:
        for name in components:
            if name.startswith(prefix(slug)):
                raise UnfitGameError(f"its slug {slug} is taken: the service's own {name} begins like its types")
