"""Advice for the owner of a view: the move to make, and the worth of each. A worker never sees a table's truth."""

from __future__ import annotations

import gc
import hashlib
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import accumulate
from typing import Any, Final, NamedTuple

import msgspec

from games.core.advice import SETTLED, Advisor, Line
from games.core.dice import CHOICE, Dice, FastDice
from games.core.game import Game, View
from games.core.levels import Level, level_of
from games.core.table import Table
from games.search.pick import greedy_move, random_move
from games.search.tree import TreeSearch
from games.search.views import imagined_table, rank_of, seat_of
from games.search.worlds import SEEDS, world_dice

SLICE_SECONDS: Final = 0.05
"""Duration of a search between two checks."""

LOOK_ITERATIONS: Final = 100
"""Iterations between two checks of an interval's width, so that equal searches end alike with any length of slices."""

GRAINS: Final = 2**30
"""Resolution of a draw by weights."""


class Budget(NamedTuple):
    """Limits of a search, of which the first reached one ends it; 0 is no limit.

    `half_width` is the half-width of the interval of the first move.
    """

    iterations: int = 0
    milliseconds: int = 0
    half_width: float = 0.0


Partial = Callable[[], dict[str, Any]]


Tick = Callable[[int, int, Partial], None]
"""A callback, called several times a second. Its arguments are the work done, the work to do and a getter of the result
so far. It raises to end the work."""


def seed_of(*parts: object) -> int:
    """Return a seed for `world_dice` from anything printable, different for different parts."""
    digest = hashlib.sha256("\x1f".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:8], "big") % SEEDS


def choose(game: Game, view: View, level: str, seed: int, tick: Tick | None = None, *, thorough: bool = False) -> int:
    """Return the code of the move that a bot of a level makes in a seat's view.

    Equal views, levels and seeds choose equally. A `thorough` bot does all the work of its level even if its choice is
    clear, so that its time reveals nothing. Raise ValueError if the seat may not move.
    """
    table = imagined_table(game, view, seed)
    return choose_at(game, table, seat_of(view), level_of(game, level, view.seats), seed, tick, thorough=thorough)


def choose_at(
    game: Game, table: Table, seat: int, level: Level, seed: int, tick: Tick | None = None, *, thorough: bool = False
) -> int:
    """Return the move of a bot at a table, of which it uses no more than its seat knows."""
    return decide(game, table, seat, level, seed, tick, thorough=thorough)[0]


def decide(
    game: Game, table: Table, seat: int, level: Level, seed: int, tick: Tick | None = None, *, thorough: bool = False
) -> tuple[int, Advisor | None]:
    """Return the move that `choose_at` returns, and the adviser with its values if the bot has used one."""
    moves = table.legal(seat)
    if len(moves) == 0:
        raise ValueError("the seat may not move")
    if len(moves) == 1 and not thorough:
        return int(moves[0]), None
    if level.iterations or level.name in game.advised:
        return _searched(game, table, seat, level, seed, tick, thorough=thorough)
    if level.worlds:
        return int(greedy_move(table, seat, game.worth(level.worth), level.worlds, seed)), None
    return int(random_move(table, seat, world_dice(seed, 0))), None


def decided(advisor: Advisor, iterations: int, tick: Tick | None = None, *, thorough: bool = False) -> int:
    """Run an adviser for a number of iterations, or until no more of them can change its choice, and return that."""
    run_advisor(advisor, Budget(iterations), tick, dict, decided=not thorough)
    return int(advisor.best())


def report(game: Game, table: Table, advisor: Advisor, top: int | None) -> dict[str, Any]:
    """Return the advice so far as plain JSON: moves with visits, value, interval and share, the best first."""
    lines = sorted(advisor.lines.values(), key=rank_of)
    visits = max(1, sum(line.visits for line in lines))
    return {
        "iterations": advisor.done,
        "worlds": 0 if advisor.lead() == SETTLED else advisor.done,
        "moves": [row_of(game, table, line, visits) for line in lines[:top]],
    }


def row_of(game: Game, table: Table, line: Line, visits: int) -> dict[str, Any]:
    """Return a move as plain JSON; `visits` are those of all moves."""
    margin = line.margin()
    return {
        "code": int(line.move),
        "move": msgspec.to_builtins(game.decode(table, line.move)),
        "visits": int(line.visits),
        "value": round(line.mean, 6),
        "interval": [round(max(0.0, line.mean - margin), 6), round(min(1.0, line.mean + margin), 6)],
        "share": round(line.visits / visits, 6),
    }


def _searched(
    game: Game, table: Table, seat: int, level: Level, seed: int, tick: Tick | None, *, thorough: bool
) -> tuple[int, Advisor]:
    """Search for a level's iterations and choose by its temperature; a game's own adviser chooses itself."""
    if (advisor := game.advisor(game.view(table, seat), seed, level.name)) is not None:
        return decided(advisor, max(1, level.iterations), tick, thorough=thorough), advisor
    search = TreeSearch(table, seat, game.worth(level.worth), seed)
    search.model = game.model(level.name)
    if not level.temperature:
        return decided(search, level.iterations, tick, thorough=thorough), search
    run_advisor(search, Budget(level.iterations), tick, dict)
    return draw_move(search, level.temperature, FastDice(seed_of("temperature", seed))), search


def draw_move(advisor: Advisor, temperature: float, dice: Dice) -> int:
    """Draw a move that was tried: one with v visits weighs v ** (1 / temperature).

    A cold draw takes the most visited, a hot one any. A search that has tried nothing chooses itself.
    """
    lines = [line for line in advisor.lines.values() if line.visits]
    most = max((line.visits for line in lines), default=0)
    weights = [(line.visits / most) ** (1 / temperature) for line in lines]
    mark = dice.below(GRAINS, CHOICE) / GRAINS * sum(weights)
    for line, upto in zip(lines, accumulate(weights), strict=True):
        if mark < upto:
            return int(line.move)
    return int(advisor.best())


def run_advisor(
    advisor: Advisor, budget: Budget, tick: Tick | None, partial: Partial = dict, *, decided: bool = False
) -> None:
    """Run an adviser in slices until its budget is spent, or, with `decided`, its choice is.

    Time is not spent on advice that is settled.
    """
    iterations, milliseconds, half_width = budget
    began = time.monotonic()
    size = 16
    while True:
        spent = int((time.monotonic() - began) * 1000)
        left = iterations - advisor.done if iterations else size
        if left <= 0 or (milliseconds and spent >= milliseconds):
            return
        if decided and advisor.lead() > left:
            return
        if half_width:
            if _is_known(advisor, half_width):
                return
            left = min(left, LOOK_ITERATIONS - advisor.done % LOOK_ITERATIONS)
        if advisor.done and not iterations and advisor.lead() == SETTLED:
            return
        if tick is not None:
            if iterations:
                tick(advisor.done, iterations, partial)
            else:
                tick(spent, milliseconds, partial)
        size = _next_size(advisor, min(size, left), milliseconds - spent if milliseconds else None)


def _is_known(advisor: Advisor, half_width: float) -> bool:
    if not advisor.done or advisor.done % LOOK_ITERATIONS:
        return False
    return min(advisor.lines.values(), key=rank_of).margin() <= half_width


def _next_size(advisor: Advisor, size: int, left_ms: int | None) -> int:
    began = time.monotonic()
    with _no_collection():
        advisor.run(size)
    took = max(time.monotonic() - began, 1e-6)
    room = SLICE_SECONDS if left_ms is None else min(SLICE_SECONDS, max(left_ms / 1000 - took, 0.001))
    return max(1, min(size * 4, int(size * room / took)))


@contextmanager
def _no_collection() -> Iterator[None]:
    """Keep the garbage collector from walking through a tree, which has no cycles, again and again as it grows."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
