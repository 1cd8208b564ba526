"""Counts the results of games.

All sums are integers. So the counts of several workers can be added in any order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import ceil, sqrt
from statistics import NormalDist
from typing import Any, Final, Self

import msgspec

from service.jobs.aggregate import Aggregate
from service.jobs.grouping import GroupCounts, Grouping, GroupOfGame

SHARES: Final = 60
"""Number of units per win. With 60 units, a win can be shared equally by up to six seats."""

Z95: Final = NormalDist().inv_cdf(0.975)

FIRST_LOOK: Final = 100
"""Number of games after which the precision of the result is checked for the first time."""

NEXT_LOOK: Final = 1.1
"""Factor by which the number of games grows from one check of the precision to the next."""

BARS: Final = 40
"""Maximum number of bars in the histogram of game lengths."""


def wilson(wins: float, games: float) -> tuple[float, float]:
    """Return the 95 % Wilson confidence interval of a win rate. Return (0, 1) if there are no games."""
    if games == 0:
        return 0.0, 1.0
    rate = wins / games
    square = Z95 * Z95 / games
    centre = (rate + square / 2) / (1 + square)
    half = Z95 * sqrt(rate * (1 - rate) / games + square / (4 * games)) / (1 + square)
    return max(0.0, centre - half), min(1.0, centre + half)


class Forfeit(msgspec.Struct, frozen=True, omit_defaults=True):
    """A remote bot's forfeit of a game."""

    seat: int
    cause: str
    rule: str = ""  # the rule that an illegal move violated
    detail: str = ""  # a description of the cause


class GameResult(msgspec.Struct, omit_defaults=True):
    """The result of one game."""

    game: int
    deal: int  # number of the deal
    bots: list[int]  # bots in the seats
    rewards: list[float]  # the seats' shares of the win
    plies: int  # number of moves
    forfeit: Forfeit | None = None  # set if a remote bot forfeited the game
    points: list[int] | None = None  # set if the game has scores and was played to its end
    group: GroupOfGame | None = None  # set if the job counts groups


class Count(msgspec.Struct):
    """The results of one bot in one seat, or a sum of such results."""

    games: int = 0
    wins: int = 0
    shared: int = 0
    sixtieths: int = 0
    squares: int = 0
    scored: int = 0
    points: int = 0
    point_squares: int = 0

    def add(self, reward: float, points: int | None = None) -> None:
        """Add the result of one game."""
        if points is not None:
            self.scored += 1
            self.points += points
            self.point_squares += points * points
        share = round(reward * SHARES)
        self.games += 1
        self.wins += share == SHARES
        self.shared += 0 < share < SHARES
        self.sixtieths += share
        self.squares += share * share

    def plus(self, other: Count) -> Count:
        """Return the sum of two counts."""
        mine, others = msgspec.structs.astuple(self), msgspec.structs.astuple(other)
        return Count(*(one + two for one, two in zip(mine, others, strict=True)))

    def interval(self) -> tuple[float, float]:
        """Return the confidence interval of the win rate."""
        return wilson(self.wins, self.games)

    def summary(self) -> dict[str, Any]:
        """Return the count as plain JSON.

        `win_rate` and `interval` count only wins that are not shared. `score` also counts a shared win, as a fraction.
        """
        games = max(1, self.games)
        return {
            "games": self.games,
            "wins": self.wins,
            "shared": self.shared,
            "win_rate": round(self.wins / games, 6),
            "interval": [round(bound, 6) for bound in self.interval()],
            "score": round(self.sixtieths / SHARES / games, 6),
            **({"points": self._points_summary()} if self.scored else {}),
        }

    def _points_summary(self) -> dict[str, float]:
        mean = self.points / self.scored
        variance = max(0.0, self.point_squares / self.scored - mean * mean)
        return {"mean": round(mean, 3), "deviation": round(sqrt(variance), 3)}


class SeatTurn(msgspec.Struct):
    """Sums of a bot's rewards. In each seat rotation, the bot plays the same deal once in every seat."""

    turns: int = 0  # number of completed rotations
    sixtieths: int = 0  # sum of their rewards, in sixtieths of a win
    squares: int = 0  # sum of the squares of their rewards
    running: int = 0  # reward so far in the unfinished rotation

    def close(self) -> None:
        """Add the finished seat rotation to the sums, and begin a new rotation."""
        self.turns += 1
        self.sixtieths += self.running
        self.squares += self.running * self.running
        self.running = 0


class Forfeits(msgspec.Struct):
    """The games that a bot has forfeited for one cause."""

    bot: int
    cause: str
    rule: str
    games: int  # their number
    first_game: int  # the first one's number in the schedule


class GameCounts(msgspec.Struct, Aggregate, kw_only=True):
    """Base class of the counts of simulations and tournaments."""

    games: int = 0
    look: int = FIRST_LOOK  # number of games after which `enough` next checks the precision
    remote: list[int] = []  # indexes of the remote bots
    forfeits: list[Forfeits] = []  # forfeits of the remote bots

    def add(self, line: bytes) -> None:
        """Add the result of one game. `line` is the result as JSON."""
        self.played(msgspec.json.decode(line, type=GameResult))

    def played(self, line: GameResult) -> None:
        """Add the result of one game. Results must be added in the order of the games."""
        raise NotImplementedError

    def count_forfeit(self, line: GameResult) -> None:
        """Count the forfeit of a game, if there was one."""
        if (forfeit := line.forfeit) is None:
            return
        bot = line.bots[forfeit.seat]
        for known in self.forfeits:
            if (known.bot, known.cause, known.rule) == (bot, forfeit.cause, forfeit.rule):
                known.games += 1
                return
        self.forfeits.append(Forfeits(bot, forfeit.cause, forfeit.rule, 1, line.game))

    def forfeits_of(self, bot: int) -> dict[str, Any]:
        """Return the forfeits of a remote bot as plain JSON. Return an empty dict for a built-in bot."""
        if bot not in self.remote:
            return {}
        mine = sorted((known for known in self.forfeits if known.bot == bot), key=lambda known: -known.games)
        return {
            "forfeits": [
                {
                    "cause": known.cause,
                    **({"rule": known.rule} if known.rule else {}),
                    "games": known.games,
                    "first_game": known.first_game,
                }
                for known in mine
            ]
        }


class Tally(GameCounts):
    """The results of a simulation so far."""

    bots: list[str]
    seed: str
    rotate: bool
    half_width: float
    counts: list[list[Count]]  # by bot and seat
    rounds: list[SeatTurn]  # each bot's sums over seat rotations
    lengths: dict[int, int]  # number of games by number of moves
    groups: GroupCounts | None = None  # set if the job counts groups, like `grouping`
    grouping: Grouping | None = None

    @classmethod
    def begun(cls, bots: Sequence[str], seed: str, *, rotate: bool, half_width: float = 0.0) -> Self:
        """Return a tally that contains no games.

        If `rotate` is true, the bots change seats. If `half_width` is 0, the simulation never ends early. Otherwise, it
        ends when every confidence interval has at most this half-width.
        """
        seats = range(len(bots))
        counts = [[Count() for _ in seats] for _ in seats]
        return cls(list(bots), seed, rotate, half_width, counts, [SeatTurn() for _ in seats], {})

    def played(self, line: GameResult) -> None:
        """Add the result of one game. Results must be added in the order of the games."""
        if self.games >= self.look and self.games % len(self.bots) == 0:
            self.look = ceil(self.look * NEXT_LOOK)
        for bot, seat_reward in zip(line.bots, enumerate(line.rewards), strict=True):
            seat, reward = seat_reward
            self.counts[bot][seat].add(reward, line.points[seat] if line.points else None)
            self.rounds[bot].running += round(reward * SHARES)
        self.games += 1
        if self.games % len(self.bots) == 0:
            for bot_round in self.rounds:
                bot_round.close()
        self.lengths[line.plies] = self.lengths.get(line.plies, 0) + 1
        if self.groups is not None and line.group is not None:
            self.groups.add(msgspec.json.encode(line.group).decode())
        self.count_forfeit(line)

    def enough(self) -> bool:
        """Return whether the simulation can end early because every confidence interval is narrow enough.

        The intervals are checked only at the end of some seat rotations. At all other times, return False.
        """
        whole = self.games >= self.look and self.games % len(self.bots) == 0
        return self.half_width > 0 and whole and self.widest() <= self.half_width

    def bot(self, bot: int) -> Count:
        """Return a bot's results, summed over all seats."""
        return summed(self.counts[bot])

    def seat(self, seat: int) -> Count:
        """Return a seat's results, summed over all bots."""
        return summed(row[seat] for row in self.counts)

    def widest(self) -> float:
        """Return the largest half-width among the confidence intervals of all bots."""
        return max((high - low) / 2 for low, high in (self.bot(bot).interval() for bot in range(len(self.bots))))

    def variance_ratio(self, bot: int) -> float | None:
        """Estimate the variance of a bot's score in two ways, and return the ratio of the two estimates.

        The first estimate takes into account that all games of a seat rotation have the same deal. The second estimate
        assumes that each game has its own deal. The ratio is the first estimate divided by the second. Return None
        if the bots do not change seats. Also return None if fewer than two rotations are complete, or if all rewards
        are equal.
        """
        turns, games = self.rounds[bot], self.bot(bot)
        if not self.rotate or turns.turns < 2:  # noqa: PLR2004 -- fewer have no variance
            return None
        mean, games_mean = turns.sixtieths / turns.turns, games.sixtieths / games.games
        of_turns = (turns.squares / turns.turns - mean * mean) * turns.turns / (turns.turns - 1)
        of_games = games.squares / games.games - games_mean * games_mean
        return round(of_turns / (len(self.bots) * of_games), 4) if of_games > 0 else None

    def counters(self) -> dict[str, int]:
        """Return the tally as named integers. The caller can add the integers of several tallies.

        Rewards in an unfinished seat rotation are omitted.
        """
        found = {"games": self.games}
        for bot, row in enumerate(self.counts):
            found |= _named(f"bot {bot}", self.rounds[bot])
            found.pop(f"bot {bot} running")
            for seat, seat_count in enumerate(row):
                found |= _named(f"bot {bot} seat {seat}", seat_count)
        if self.groups is not None:
            found |= self.groups.counters()
        return found | {f"plies {plies}": number for plies, number in self.lengths.items()}

    def of_counters(self, counters: Mapping[str, int]) -> Self:
        """Fill this empty tally with `counters`, and return the tally.

        Each counter may be a sum over several tallies.
        """
        self.games = counters.get("games", 0)
        for bot, row in enumerate(self.counts):
            _fill(f"bot {bot}", self.rounds[bot], counters)
            for seat, seat_count in enumerate(row):
                _fill(f"bot {bot} seat {seat}", seat_count, counters)
        lengths = {int(name[6:]): number for name, number in counters.items() if name.startswith("plies ")}
        self.lengths = dict(sorted(lengths.items()))
        if self.groups is not None:
            self.groups = GroupCounts.of_counters(counters)
        return self

    def summary(self) -> dict[str, Any]:
        """Return the tally as plain JSON."""
        return {
            "kind": "simulation",
            "seed": self.seed,
            "games": self.games,
            "bots": [self._bot_summary(bot, level) for bot, level in enumerate(self.bots)],
            "by_seat": [{"seat": seat, **self.seat(seat).summary()} for seat in range(len(self.bots))],
            "plies": summarize_lengths(self.lengths),
            **self._groups_summary(),
        }

    def _groups_summary(self) -> dict[str, Any]:
        if self.groups is None or self.grouping is None:
            return {}
        return {"groups": self.groups.summary(self.games, self.grouping)}

    def _bot_summary(self, bot: int, level: str) -> dict[str, Any]:
        by_seat = [{"seat": seat, **count.summary()} for seat, count in enumerate(self.counts[bot]) if count.games]
        return {
            "bot": level,
            **self.bot(bot).summary(),
            "variance_ratio": self.variance_ratio(bot),
            "by_seat": by_seat,
            **self.forfeits_of(bot),
        }


def summarize_lengths(lengths: dict[int, int]) -> dict[str, Any]:
    """Return statistics of game lengths as plain JSON. `lengths` maps numbers of moves to numbers of games."""
    games = sum(lengths.values())
    ordered = sorted(lengths)
    return {
        "mean": round(sum(plies * number for plies, number in lengths.items()) / max(1, games), 3),
        "median": _median(lengths),
        "shortest": min(ordered, default=0),
        "longest": max(ordered, default=0),
        "histogram": histogram(lengths),
    }


def _median(lengths: dict[int, int]) -> int:
    left = (sum(lengths.values()) + 1) // 2
    for plies, number in sorted(lengths.items()):
        left -= number
        if left <= 0:
            return plies
    return 0


def histogram(lengths: dict[int, int]) -> list[dict[str, int]]:
    """Return the bars of a histogram of game lengths. Each bar is a range of lengths, with its number of games."""
    if not lengths:
        return []
    low, high = min(lengths), max(lengths)
    width = next(width for width in _round_numbers() if high // width - low // width < BARS)
    bars = dict.fromkeys(range(low // width, high // width + 1), 0)
    for plies, games in lengths.items():
        bars[plies // width] += games
    return [{"from": number * width, "to": (number + 1) * width - 1, "games": games} for number, games in bars.items()]


def _round_numbers() -> Iterable[int]:
    power = 1
    while True:
        yield from (power, 2 * power, 5 * power)
        power *= 10


def _named(name: str, counts: Count | SeatTurn) -> dict[str, int]:
    return {f"{name} {field}": number for field, number in msgspec.structs.asdict(counts).items()}


def _fill(name: str, counts: Count | SeatTurn, counters: Mapping[str, int]) -> None:
    for field in counts.__struct_fields__:
        setattr(counts, field, counters.get(f"{name} {field}", 0))


def summed(counts: Iterable[Count]) -> Count:
    """Return the sum of several counts."""
    total = Count()
    for count in counts:
        total = total.plus(count)
    return total
