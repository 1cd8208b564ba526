"""Matches of each level among the level below it, in every game and number of seats, in one run."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Final

from bench.matches import Match, play_match, resume_match, unplayed
from games.core.levels import LADDER
from games.core.registry import registered

RESULTS: Final = Path(__file__).resolve().parent / "results" / "levels"

STEPS: Final = tuple((higher, lower) for lower, higher in pairwise(LADDER))
"""Each level with the level below it."""

MAX_QUICK_SECONDS: Final = 1.0
"""Maximum CPU time of a quick game."""

QUICK_GAMES: Final = 400
SLOW_GAMES: Final = 100
"""Number of games of a match: of quick games, and of others."""


def resume_matches() -> list[Match]:
    """Return the matches of all games and numbers of seats, as far as they are stored; the lowest levels come first."""
    return [
        resume_match(unplayed(game, seats, *step), RESULTS)
        for step in STEPS
        for game in registered().values()
        for seats in game.seat_numbers
    ]


def game_seconds(match: Match) -> float:
    """Return the mean CPU time of a game of a match that has begun."""
    return match.seconds / len(match.results)


def wanted_games(match: Match) -> int:
    """Return the number of games of a complete match."""
    return QUICK_GAMES if game_seconds(match) < MAX_QUICK_SECONDS else SLOW_GAMES


def missing_deals(match: Match) -> int:
    """Return the number of deals that a match lacks."""
    return max(0, math.ceil(wanted_games(match) / match.sides) - len(match.units))


def missing_seconds(match: Match) -> float:
    """Return the expected CPU time of the rest of a match."""
    return missing_deals(match) * match.sides * game_seconds(match)


def begin(matches: list[Match], until: float) -> None:
    """Play a deal of each match that has none, from which the times of all matches are estimated."""
    for match in matches:
        if not match.units and time.monotonic() <= until:
            next(play_match(registered()[match.game], match, 1, RESULTS))


def play_on(matches: list[Match], until: float) -> Iterator[Match]:
    """Complete the matches, the shortest first, and yield each one when it is complete or the time is over."""
    rest = [match for match in matches if match.units and missing_deals(match)]
    while rest and time.monotonic() <= until:
        match = min(rest, key=missing_seconds)
        while missing_deals(match) and time.monotonic() <= until:
            next(play_match(registered()[match.game], match, len(match.units) + 1, RESULTS))
        rest.remove(match)
        yield match
