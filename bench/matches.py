"""Matches of searches and yardsticks: the pairings, the results so far, and the continuation."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from statistics import fmean, stdev
from typing import Final

import msgspec

from bench.advisers import marks
from bench.arena import Player, named, position, searches, unit
from bench.kept import Kept, keep, load_kept
from bench.machine import processor
from games.core.game import LEARNED, Game
from games.core.levels import LADDER, LEVELS, YARDSTICKS, level_of
from games.core.registry import registered
from games.core.table import Table
from workers.simulate.tally import wilson

RESULTS: Final = Path(__file__).resolve().parent / "results" / "matches"

EQUAL: Final = ":equal"
"""Stands for as many iterations as take the challenger's time, until the pilots of a match have set them."""

PILOTS: Final = 18
"""Minimum number of games in the pilots of a match, which measure the time of both players in games."""

BARS: Final = {
    ("hoher-rat", 2, "search", "tuned"): 0.70,
    ("hoher-rat", 4, "search", "tuned"): 0.65,
    ("gartenzwerge", 3, "search", "tuned"): 0.50,
    ("wichtel", 3, "search", "tuned"): 0.50,
    ("barbarossa", 3, "expert", "hard"): 0.40,
    ("barbarossa", 4, "expert", "hard"): 0.40,
}
"""Goal for the lower end of a match's interval, by game, seats, and both players without their iterations."""

PLAIN_BAR: Final = 0.9
PLAIN_SHARES: Final = 3
"""The textbook's search is beaten nine times in ten, or for as many times the fair share if that is less."""

GREEDY: Final = "greedy"

SEARCH: Final = "search:1000"
"""The search that has to beat the last of the yardsticks."""

GLIMPSES: Final = {"wichtel": "glimpse:4000"}
"""By game, a player that sees more of hands than play reveals and has four times the iterations, among SEARCH's
field."""

STEPS: Final = tuple((better, worse) for worse, better in pairwise((*YARDSTICKS, SEARCH)))
"""Each yardstick with the one before it, and the search with `tuned`; each wins in every game and number of seats."""

TOP_LEVELS: Final = ("expert", "hard")
"""The match of a game's own adviser with the level below it, which knows less."""


class Timed:
    """A player whose CPU time is counted."""

    def __init__(self, player: Player) -> None:
        """Take the player."""
        self.player = player
        self.seconds = 0.0

    def __call__(self, table: Table, seat: int, seed: int) -> int:
        """Return the player's move."""
        began = time.process_time()
        move = self.player(table, seat, seed)
        self.seconds += time.process_time() - began
        return move


class Match(Kept, kw_only=True):
    """A challenger against a field in every other seat: a row are its results in one deal, one for each team.

    `spent` are the seconds of CPU time that the challenger and the field chose for, where they were counted. `pilots`
    are the deals that have set the field's iterations: how many it had there, and the seconds of both.
    """

    challenger: str
    field: str
    spent: tuple[float, float] = (0.0, 0.0)
    pilots: list[tuple[int, float, float]] = msgspec.field(default_factory=list)
    units: list[list[float]] = msgspec.field(default_factory=list)

    @property
    def name(self) -> str:
        """Return the name of the match, also of its file; it omits iterations for equal time."""
        challenger, field = self.challenger.replace(":", ""), self.field.partition(":")[0]
        return f"{super().name}-{challenger}-{field}"

    @property
    def sides(self) -> int:
        """Return the number of teams, which is the number of games of a deal."""
        return len(registered()[self.game].teams(self.seats))

    @property
    def results(self) -> list[float]:
        """Return the challenger's results in all games."""
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
    def pace(self) -> float | None:
        """Return the time of a seat of the field relative to the challenger's, if that was measured."""
        ours, theirs = self.spent
        return theirs / ours / (self.sides - 1) if ours else None

    @property
    def pilots_wanted(self) -> int:
        """Return the number of pilots that set its field: none if it is set."""
        return math.ceil(PILOTS / self.sides) if self.field.endswith(EQUAL) else 0

    @property
    def equal(self) -> int:
        """Return the iterations of a seat of the field for the challenger's time, by its pilots, to two figures.

        Each pilot measures the duration of one iteration, so pilots of different iterations add up.
        """
        ours = sum(seconds for _, seconds, _ in self.pilots)
        one = sum(seconds / iterations for iterations, _, seconds in self.pilots) / (self.sides - 1)
        return rounded(ours / one)

    @property
    def bar(self) -> float | None:
        """Return the bar of the interval, if any: an even share for a step of the yardsticks."""
        even = 1 / self.sides
        if self.is_step:
            return even
        challenger, field = (player.partition(":")[0] for player in (self.challenger, self.field))
        if (challenger, field) == ("search", "plain"):
            return min(PLAIN_BAR, PLAIN_SHARES * even)
        return BARS.get((self.game, self.seats, challenger, field))

    @property
    def is_met(self) -> bool:
        """Return whether the interval has passed the bar."""
        return self.bar is not None and self.interval[0] > self.bar

    @property
    def is_of_today(self) -> bool:
        """Return whether both players still evaluate, foresee, search and advise as they did when it was played."""
        return self.plays_like(unplayed(registered()[self.game], self.seats, self.challenger, self.field))

    @property
    def is_step(self) -> bool:
        """Return whether it is a yardstick, or the search above them, against the next below."""
        return (self.challenger, self.field) in STEPS


def plan(game: Game, effort: int) -> list[Match]:
    """Return the matches of a game: the steps, then search and ceiling against one ply and the textbook.

    `effort` is the search's iterations.
    """
    pairs = [(seats, better, worse) for better, worse in STEPS for seats in game.seat_numbers]
    others = [f"search:{effort}", f"cheater:{effort}"]
    pairs += [(seats, one, "tuned") for one in others for seats in game.seat_numbers if (one, "tuned") not in STEPS]
    if game.advised:
        pairs += [(seats, *TOP_LEVELS) for seats in game.seat_numbers]
    pairs += [(seats, one, f"plain{EQUAL}") for one in others for seats in game.seat_numbers]
    if game.slug in GLIMPSES:
        pairs += [(seats, GLIMPSES[game.slug], f"plain{EQUAL}") for seats in game.seat_numbers]
    return [unplayed(game, *pair) for pair in pairs]


def unplayed(game: Game, seats: int, challenger: str, field: str) -> Match:
    """Return a match of which nothing was played."""
    pair = challenger, field
    return Match(
        game=game.slug,
        seats=seats,
        challenger=challenger,
        field=field,
        weights=weights(game, seats, *pair),
        levels=efforts(game, seats, *pair),
        advisers=marks(game, seats, *pair),
    )


def weights(game: Game, seats: int, *players: str) -> dict[str, dict[str, float]]:
    """Return the sets of weights of some players and, for a search with a net, the number of the net.

    All but `greedy` use the set that is tuned. A player with a model of the others has the number of plies, too.
    """
    sets = game.weights.at(seats) if game.weights else {}
    used = {name: values for name, values in sets.items() if name != GREEDY or GREEDY in players}
    if game.net and seats in game.net.seats and any(map(is_learned, players)):
        used[LEARNED] = {"net": float(game.net.mark)}
    if any(game.model(LADDER[-1] if is_longest(player) else player) for player in players):
        used["model"] = {"plies": 1.0}
    return used


def is_learned(player: str) -> bool:
    """Return whether a player uses the learned evaluation, if there is one."""
    return is_longest(player) or (player in LEVELS and LEVELS[player].worth == LEARNED)


def is_longest(player: str) -> bool:
    """Return whether a player searches as the highest level does, except for the iterations in its name."""
    return player.partition(":")[0] in {"search", "cheater", "glimpse"}


def efforts(game: Game, seats: int, *players: str) -> dict[str, list[float]]:
    """Return the worlds, the iterations and, if any, the temperature of those players that are levels."""
    levels = [level_of(game, name, seats) for name in players if name in LEVELS]
    return {level.name: [level.worlds, level.iterations, *filter(None, [level.temperature])] for level in levels}


def resume_match(planned: Match, kept: Path) -> Match:
    """Return a match as far as it is stored, if its challenger and the play of both are still the same; else begin it.

    The cheater meets the field that the search of as many iterations has met, so that its additional wins come from its
    eyes. A glimpsing player meets the field of SEARCH, and has more time as well.
    """
    match = load_kept(Match, planned.name, kept)
    if match is None or (match.players, match.challenger) != (planned.players, planned.challenger):
        begun = time.strftime("%Y-%m-%d", time.gmtime())
        match = msgspec.structs.replace(planned, begun=begun, machine=processor())
    search = pacemaker(match.challenger)
    if match.field.endswith(EQUAL) and search != match.challenger:
        met = load_kept(Match, msgspec.structs.replace(match, challenger=search).name, kept)
        match.field = met.field if met else match.field
    return match


def pacemaker(challenger: str) -> str:
    """Return the search whose time the field of a challenger gets."""
    kind, _, iterations = challenger.partition(":")
    return SEARCH if kind == "glimpse" else f"search:{iterations}"


def piloted(game: Game, match: Match, kept: Path) -> Iterator[Match]:
    """Play the pilots that set a match's field, storing every one and yielding the match after it.

    Each has the iterations from those before it.
    """
    search, kind = pacemaker(match.challenger), match.field.removesuffix(EQUAL)
    wanted = match.pilots_wanted
    for number in range(len(match.pilots), wanted):
        iterations = match.equal if match.pilots else guessed(game, match.seats, search, kind)
        begun = msgspec.structs.replace(match, challenger=search, field=f"{kind}:{iterations}")
        pilot = lengthened(game, begun, f"pilot/{match.seats}/{number}")
        match.pilots = [*match.pilots, (iterations, *pilot.spent)]
        if len(match.pilots) == wanted:
            match.field = f"{kind}:{match.equal}"
        keep(match, kept)
        yield match


def guessed(game: Game, seats: int, search: str, kind: str) -> int:
    """Return the iterations of a kind of player that take as long as a search in positions.

    There both do all their work; in games they end early, each in its way.
    """
    iterations = int(search.partition(":")[2])
    places = [position(game, seats, number) for number in range(24)]
    ours = cost(lambda table, seat: searches(game, search, table, seat).run(iterations), places)
    theirs = cost(lambda table, seat: searches(game, f"{kind}:1", table, seat).run(iterations // 10), places)
    return rounded(iterations * ours / theirs / 10)


def rounded(iterations: float) -> int:
    """Return a number of iterations to two figures."""
    return max(1, int(float(f"{iterations:.2g}")))


def cost(work: Callable[[Table, int], None], places: list[tuple[Table, int]]) -> float:
    """Return the CPU time of a piece of work over all positions."""
    began = time.process_time()
    for table, seat in places:
        work(table, seat)
    return time.process_time() - began


def lengthened(game: Game, match: Match, deal: str) -> Match:
    """Return a match with one more deal, with the time of that deal."""
    challenger, field = Timed(named(game, match.challenger)), Timed(named(game, match.field))
    began = time.process_time()
    row = unit(game, match.seats, challenger, field, deal)
    took = time.process_time() - began
    return msgspec.structs.replace(
        match,
        seconds=match.seconds + took,
        spent=(match.spent[0] + challenger.seconds, match.spent[1] + field.seconds),
        units=[*match.units, row],
    )


def play_match(game: Game, match: Match, units: int, kept: Path, enough: int = 0) -> Iterator[Match]:
    """Play on until there is this number of deals, writing every one down and yielding the match after it.

    With `enough`, this number of games is enough for a match that has met its bar.
    """
    while len(match.units) < units and not (enough and len(match.results) >= enough and match.is_met):
        longer = lengthened(game, match, f"match/{match.seats}/{len(match.units)}")
        match.units, match.seconds, match.spent = longer.units, longer.seconds, longer.spent
        keep(match, kept)
        yield match
