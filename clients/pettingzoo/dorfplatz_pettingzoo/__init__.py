"""The games of Dorfplatz as PettingZoo environments: `env("hoher-rat", 2)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dorfplatz_games.learners import Learner, learner

if TYPE_CHECKING:
    from dorfplatz_pettingzoo.environment import Environment

__all__ = ["Learner", "env", "learner"]


def env(game: str, seats: int, render_mode: str | None = None, language: str = "en") -> Environment:
    """Return the environment of a game with a number of seats.

    `render_mode` is None, `ansi` (text), `svg` (a picture as SVG) or `rgb_array`, which needs the extra `pictures`.
    """
    from dorfplatz_pettingzoo.environment import Environment  # noqa: PLC0415 -- observations need no PettingZoo

    return Environment(game, seats, render_mode, language)
