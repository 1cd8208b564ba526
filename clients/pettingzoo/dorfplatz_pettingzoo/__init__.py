"""The games of Dorfplatz as PettingZoo environments: `env("hoher-rat", 2)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dorfplatz_games.learners import Learner, learner

if TYPE_CHECKING:
    from dorfplatz_games.learners.opponents import Opponents

    from dorfplatz_pettingzoo.environment import Environment
    from dorfplatz_pettingzoo.parallel import ParallelEnvironment
    from dorfplatz_pettingzoo.vector import VectorEnvironment

__all__ = ["Learner", "env", "learner", "parallel_env", "vector_env"]


def env(game: str, seats: int, render_mode: str | None = None, language: str = "en") -> Environment:
    """Return the environment of a game with a number of seats.

    `render_mode` is None, `ansi` (text), `svg` (a picture as SVG) or `rgb_array`, which needs the extra `pictures`.
    """
    from dorfplatz_pettingzoo.environment import Environment  # noqa: PLC0415 -- observations need no PettingZoo

    return Environment(game, seats, render_mode, language)


def parallel_env(game: str, seats: int, render_mode: str | None = None, language: str = "en") -> ParallelEnvironment:
    """Return the environment in which all agents act in each step; agents that do not decide wait."""
    from dorfplatz_pettingzoo.parallel import ParallelEnvironment  # noqa: PLC0415 -- observations need no PettingZoo

    return ParallelEnvironment(game, seats, render_mode, language)


def vector_env(
    game: str,
    seats: int,
    num_envs: int,
    seat: int | None = None,
    opponents: Opponents | None = None,
    *,
    skip_forced: bool = False,
) -> VectorEnvironment:
    """Return a vector environment of Gymnasium: an agent in one seat of each table, and opponents in the others.

    Without `seat` the agent has seat i modulo the seats at table i; without `opponents` they play at random. With
    `skip_forced` an only legal action is taken without a step of the agent.
    """
    from dorfplatz_games.learners.opponents import at_random  # noqa: PLC0415 -- needs NumPy

    from dorfplatz_pettingzoo.vector import VectorEnvironment  # noqa: PLC0415 -- observations need no Gymnasium

    return VectorEnvironment(game, seats, num_envs, seat, opponents or at_random, skip_forced=skip_forced)
