"""Matches of searches and yardsticks: who plays whom, what came of it so far, and how it goes on from there."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from statistics import fmean, stdev
from typing import Final

import msgspec

from bench.arena import named, position, searches, unit
from bench.kept import Kept, found, keep
from bench.machine import processor
from games.core.game import LEARNED, Game
from games.core.levels import LADDER, LEVELS, YARDSTICKS, level_of
from games.core.registry import registered
from games.core.table import Table
from workers.simulate.tally import wilson

KEPT: Final = Path(__file__).resolve().parent / "results" / "matches"

EQUAL: Final = ":equal"
"""Stands for as many iterations as take the challenger's time; measured when a match begins, and kept."""

BARS: Final = {
    ("hoher-rat", 2, "search", "tuned"): 0.70,
    ("hoher-rat", 4, "search", "tuned"): 0.65,
    ("gartenzwerge", 3, "search", "tuned"): 0.50,
    ("wichtel", 3, "search", "tuned"): 0.50,
    ("barbarossa", 3, "expert", "hard"): 0.40,
    ("barbarossa", 4, "expert", "hard"): 0.40,
}
"""What the lower end of a match's interval should pass: by game, seats, and both players without their iterations."""

PLAIN_BAR: Final = 0.9
PLAIN_SHARES: Final = 3
"""The textbook's search is beaten nine times in ten, or for as many times the fair share where that is less."""

GREEDY: Final = "greedy"

SEARCH: Final = "search:1000"
"""The search that has to beat the last of the yardsticks."""

STEPS: Final = tuple((better, worse) for worse, better in pairwise((*YARDSTICKS, SEARCH)))
"""Each yardstick with the one before it, and the search with `tuned`; each wins in every game and number of seats."""

HIGHEST: Final = ("expert", "hard")
"""The match of a game's own adviser with the level below it, which knows less."""


class Match(Kept, kw_only=True):
    """A challenger against a field in every other seat: a row are its results in one deal, one for each team."""

    challenger: str
    field: str
    units: list[list[float]] = msgspec.field(default_factory=list)

    @property
    def name(self) -> str:
        """Return what the match is called, also as a file; as many iterations as take equal time are not told."""
        challenger, field = self.challenger.replace(":", ""), self.field.partition(":")[0]
        return f"{super().name}-{challenger}-{field}"

    @property
    def results(self) -> list[float]:
        """Return what the challenger got in every game."""
        return [result for row in self.units for result in row]

    @property
    def rate(self) -> float:
        """Return the mean result."""
        return fmean(self.results)

    @property
    def interval(self) -> tuple[float, float]:
        """Return Wilson's 95 % interval, which counts games as if they were independent."""
        return wilson(sum(self.results), len(self.results))

    @property
    def paired(self) -> tuple[float, float]:
        """Return the 95 % interval of the mean over deals, whose games share their luck."""
        means = [fmean(row) for row in self.units]
        half = 1.96 * stdev(means) / math.sqrt(len(means)) if len(means) > 1 else 1.0
        return max(0.0, self.rate - half), min(1.0, self.rate + half)

    @property
    def bar(self) -> float | None:
        """Return what the interval should pass, if anything: an even share for a step of the yardsticks."""
        even = 1 / len(registered()[self.game].teams(self.seats))
        if self.is_step:
            return even
        challenger, field = (player.partition(":")[0] for player in (self.challenger, self.field))
        if (challenger, field) == ("search", "plain"):
            return min(PLAIN_BAR, PLAIN_SHARES * even)
        return BARS.get((self.game, self.seats, challenger, field))

    @property
    def is_met(self) -> bool:
        """Tell whether the interval has passed the bar."""
        return self.bar is not None and self.interval[0] > self.bar

    @property
    def is_of_today(self) -> bool:
        """Tell whether both players still evaluate, foresee and search as they did when it was played."""
        game = registered()[self.game]
        pair = self.challenger, self.field
        return (self.weights, self.levels) == (weights(game, self.seats, *pair), efforts(game, self.seats, *pair))

    @property
    def is_step(self) -> bool:
        """Tell whether it is a yardstick, or the search above them, against the next below."""
        return (self.challenger, self.field) in STEPS


def plan(game: Game, effort: int) -> list[Match]:
    """Return the matches of a game: the steps, then search and ceiling against one ply, and the textbook.

    `effort` is the search's iterations.
    """
    pairs = [(seats, better, worse) for better, worse in STEPS for seats in game.seat_numbers]
    others = [f"search:{effort}", f"cheater:{effort}"]
    pairs += [(seats, one, "tuned") for one in others for seats in game.seat_numbers if (one, "tuned") not in STEPS]
    if game.advised:
        pairs += [(seats, *HIGHEST) for seats in game.seat_numbers]
    pairs += [(seats, f"search:{effort}", f"plain{EQUAL}") for seats in game.seat_numbers]
    return [
        Match(
            game=game.slug,
            seats=seats,
            challenger=one,
            field=other,
            weights=weights(game, seats, one, other),
            levels=efforts(game, seats, one, other),
        )
        for seats, one, other in pairs
    ]


def weights(game: Game, seats: int, *players: str) -> dict[str, dict[str, float]]:
    """Return the sets of weights that some players use, and, where one searches with a net, the number of that.

    All but `greedy` use the set that is tuned. Where one takes the others to look ahead, it says how many plies.
    """
    sets = game.weights.at(seats) if game.weights else {}
    used = {name: values for name, values in sets.items() if name != GREEDY or GREEDY in players}
    if game.net and seats in game.net.seats and any(map(is_learned, players)):
        used[LEARNED] = {"net": float(game.net.mark)}
    if any(game.model(LADDER[-1] if is_longest(player) else player) for player in players):
        used["model"] = {"plies": 1.0}
    return used


def is_learned(player: str) -> bool:
    """Return whether a player uses the learned evaluation, where there is one."""
    return is_longest(player) or (player in LEVELS and LEVELS[player].worth == LEARNED)


def is_longest(player: str) -> bool:
    """Return whether a player searches as the highest level does, but for so many iterations as its name says."""
    return player.partition(":")[0] in {"search", "cheater"}


def efforts(game: Game, seats: int, *players: str) -> dict[str, list[float]]:
    """Return the worlds, the iterations and, if any, the temperature of those players that are levels."""
    levels = [level_of(game, name, seats) for name in players if name in LEVELS]
    return {level.name: [level.worlds, level.iterations, *filter(None, [level.temperature])] for level in levels}


def taken_up(game: Game, planned: Match, kept: Path) -> Match:
    """Return a match as far as it is kept, if its weights, levels and challenger are still the same; else begin it."""
    before = found(Match, planned.name, kept)
    if before is not None:
        same = before.weights, before.levels, before.challenger
        if same == (planned.weights, planned.levels, planned.challenger):
            return before
    field = planned.field
    if field.endswith(EQUAL):
        field = equal(game, planned.seats, planned.challenger, field.removesuffix(EQUAL))
    begun = time.strftime("%Y-%m-%d", time.gmtime())
    return msgspec.structs.replace(planned, field=field, begun=begun, machine=processor())


def equal(game: Game, seats: int, challenger: str, kind: str) -> str:
    """Return the player of a kind with the iterations that take as long as the challenger's, to two figures."""
    iterations = int(challenger.partition(":")[2])
    places = [position(game, seats, number) for number in range(24)]
    ours = cost(lambda table, seat: searches(game, challenger, table, seat).run(iterations), places)
    theirs = cost(lambda table, seat: searches(game, f"{kind}:1", table, seat).run(iterations // 10), places)
    return f"{kind}:{int(float(f'{iterations * ours / theirs / 10:.2g}'))}"


def cost(work: Callable[[Table, int], None], places: list[tuple[Table, int]]) -> float:
    """Return the CPU time of a piece of work over all positions."""
    began = time.process_time()
    for table, seat in places:
        work(table, seat)
    return time.process_time() - began


def played(game: Game, match: Match, units: int, kept: Path, enough: int = 0) -> Iterator[Match]:
    """Play on until there are so many deals, writing every one down and yielding the match after it.

    With `enough`, so many games are enough for a match that has met its bar.
    """
    challenger, field = named(game, match.challenger), named(game, match.field)
    while len(match.units) < units and not (enough and len(match.results) >= enough and match.is_met):
        began = time.process_time()
        match.units.append(unit(game, match.seats, challenger, field, f"match/{match.seats}/{len(match.units)}"))
        match.seconds += time.process_time() - began
        keep(match, kept)
        yield match
