"""Finds every game: each sub-package of `games` that names a GAME."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

import games
from games.core.game import Game


@cache
def registered() -> dict[str, Game]:
    """Return all games by slug, in the order of their packages; raise ValueError where two share a kind or slug."""
    found: dict[str, Game] = {}
    owners: dict[str, str] = {}
    for module in iter_modules(games.__path__):
        game = getattr(import_module(f"games.{module.name}"), "GAME", None)
        if game is None:
            continue
        if game.slug in found:
            raise ValueError(f"two games are called {game.slug}")
        found[game.slug] = game
        for kind in (*game.moves, *game.events):
            tag = str(kind.__struct_config__.tag)
            if owners.setdefault(tag, game.slug) != game.slug:
                raise ValueError(f"{game.slug} and {owners[tag]} share the kind {tag}")
    return found
