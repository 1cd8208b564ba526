"""Discovery of games: each sub-package of `games` that names a GAME, and each game of an installed package.

A package provides a game by an entry point of the group `dorfplatz.games` (docs/own-games.md). A game that does not fit
is left out with its reason, and does not affect the others.
"""

from __future__ import annotations

import os
import traceback
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from pkgutil import iter_modules
from typing import Final

import games
from games.core.admission import UnfitGameError, admit
from games.core.game import Game

GROUP: Final = "dorfplatz.games"
"""The group of entry points by which packages bring games."""


@dataclass(frozen=True, slots=True)
class RefusedGame:
    """A game of a package that is not taken: the package with its version, the entry point, and why."""

    package: str
    entry_point: str
    reason: str


@dataclass(frozen=True, slots=True)
class Found:
    """All games by slug; of those out of packages, their packages by slug; and the games that are not taken."""

    games: dict[str, Game]
    packages: dict[str, str]
    refused: list[RefusedGame]


SWITCH: Final = "DORFPLATZ_GAMES"
"""Environment variable for the served games: all games (the default), or `ours` alone."""


def registered() -> dict[str, Game]:
    """Return all games by slug, ours first; raise ValueError if two of ours share a kind or slug."""
    return found().games


@cache
def ours() -> dict[str, Game]:
    """Return the games of this checkout by slug; raise ValueError if two share a kind or slug."""
    known: dict[str, Game] = {}
    owners: dict[str, str] = {}
    for module in iter_modules(games.__path__):
        game = getattr(import_module(f"games.{module.name}"), "GAME", None)
        if game is None:
            continue
        if game.slug in known:
            raise ValueError(f"two games are called {game.slug}")
        known[game.slug] = game
        for kind in (*game.moves, *game.events):
            tag = str(kind.__struct_config__.tag)
            if owners.setdefault(tag, game.slug) != game.slug:
                raise ValueError(f"{game.slug} and {owners[tag]} share the kind {tag}")
    return known


@cache
def found() -> Found:
    """Look for games, once in a process."""
    every = Found(dict(ours()), {}, [])
    points = () if os.environ.get(SWITCH) == "ours" else entry_points(group=GROUP)
    for point in sorted(points, key=lambda point: (package_of(point), point.name)):
        take(point, every)
    return every


def take(point: EntryPoint, every: Found) -> None:
    """Add the game of an entry point, or the reason why it is not taken."""
    try:
        game = point.load()
        admit(game, every.games)
    except (Exception, SystemExit) as error:  # noqa: BLE001 -- whatever a stranger's package does, the others are served
        every.refused.append(RefusedGame(package_of(point), f"{point.name} = {point.value}", reason_of(error)))
    else:
        every.games[game.slug] = game
        every.packages[game.slug] = package_of(point)


def package_of(point: EntryPoint) -> str:
    """Return the name and version of the package that brings an entry point."""
    return f"{point.dist.name} {point.dist.version}" if point.dist else point.value


def reason_of(error: BaseException) -> str:
    """Return in one line what is wrong; of an error that nobody raised on purpose also its kind and place."""
    said = " ".join(str(error).split())
    if type(error) is UnfitGameError:
        return said
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {said} ({Path(place.filename).name}:{place.lineno})"
