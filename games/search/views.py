"""Tables that fit a view, and the order of advice."""

from __future__ import annotations

from games.core.advice import Line
from games.core.game import Game, View
from games.core.table import Table
from games.search.worlds import world_dice


def rank_of(line: Line) -> tuple[int, float, int]:
    """Return the sort key of moves, the best first."""
    return -line.visits, -line.mean, line.move


def imagined_table(game: Game, view: View, seed: int) -> Table:
    """Return a table that fits a view; the search deals the unknown parts again in every world."""
    return game.from_view(view, world_dice(seed, 0))


def seat_of(view: View) -> int:
    """Return the seat of a view."""
    if view.seat is None:
        raise ValueError("a spectator has no move")
    return view.seat
