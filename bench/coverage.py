"""Coverage of the intervals of hints: a search's intervals against the result of a much longer search."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

from bench import report
from bench.arena import position
from games.core.game import Game
from games.search import line
from games.search.advise import seed_of
from games.search.tree import TreeSearch

RESULTS: Final = Path(__file__).resolve().parent / "results" / "coverage"

PROMISE: Final = 0.95
"""Nominal coverage of an interval."""


class Coverage(msgspec.Struct, kw_only=True):
    """Intervals looked at: of the move that a search would make, of every move tried, and of those half as wide.

    `reckoned` identifies their computation; results from before that was kept have nothing there.
    """

    game: str
    seats: int
    iterations: int
    times: int
    best: int = 0
    best_held: int = 0
    tried: int = 0
    tried_held: int = 0
    narrow_held: int = 0
    width: float = 0.0
    reckoned: list[float] = []

    @property
    def is_of_today(self) -> bool:
        """Return whether intervals are still made as they were then."""
        return self.reckoned == reckoned()

    def look(self, game: Game, number: int) -> None:
        """Search in one position, briefly and long, with other chance, and compare."""
        table, seat = position(game, self.seats, number)
        worth = game.worths["tuned"]  # default of a hint
        brief, long = (
            TreeSearch(table, seat, worth, seed_of("coverage", number, which)) for which in ("brief", "long")
        )
        brief.run(self.iterations)
        long.run(self.iterations * self.times)
        choice = brief.best()
        for tried in brief.lines.values():
            found = long.lines[tried.move]
            if tried.visits == 0 or found.visits == 0:
                continue
            held = abs(tried.mean - found.mean) <= tried.margin()
            self.tried += 1
            self.tried_held += held
            self.narrow_held += abs(tried.mean - found.mean) <= tried.margin() / 2
            if tried.move == choice:
                self.best += 1
                self.best_held += held
                self.width += 2 * tried.margin()


def reckoned() -> list[float]:
    """Return the numbers by which intervals reckon with drift."""
    return [line.DRIFT, line.FIRST_DRIFT, line.FORGET]


def keep(found: Coverage) -> None:
    """Write the result down for the page."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    report.keep(found, RESULTS / f"{found.game}-{found.seats}.json")
