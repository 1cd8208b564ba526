"""The ladder's tournaments: every level rated in every game and number of seats, kept block by block."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import ClassVar, Final

import msgspec

from bench.advisers import marks
from bench.kept import Kept, keep, load_kept
from bench.machine import processor
from bench.matches import efforts, weights
from games.core.game import Game
from games.core.levels import LADDER, level_of
from games.core.registry import registered
from workers.simulate.batch import SimulationWork
from workers.simulate.ratings import EloRating, Ratings
from workers.simulate.standings import Blocks
from workers.simulate.tally import SHARES
from workers.simulate.tournament import TournamentPlan

RESULTS: Final = Path(__file__).resolve().parent / "results" / "ladder"

ZERO: Final = LADDER.index("hard")
"""The level at zero: it meets the costliest one, whose interval is then that of their difference."""

PAIR_SIDES: Final = 2

PLAIN_FIELDS: Final = 2
"""Number of steps on which the others at a table are of the lower level."""

STEP_BLOCKS: Final = (4, 4, 2, 1)
"""Number of blocks of a round for each step. A level's distance from zero adds up over the steps between."""

STEP_GAMES: Final = 40
"""Minimum number of games of two neighbours at one table from which intervals hold."""


@dataclass(frozen=True, slots=True)
class LadderPlan(TournamentPlan):
    """A tournament of neighbours: each level meets the one below it among low ones, so that few sides are dear."""

    label: ClassVar[str] = "ladder"

    @property
    def line_ups(self) -> list[tuple[int, ...]]:
        """Return the line-ups of a round, each a block."""
        return neighbours(len(self.bots), len(self.teams))


def neighbours(levels: int, sides: int) -> list[tuple[int, ...]]:
    """Return the line-ups of a round: some for each step of a ladder, the more the lower it is, for low ones are cheap.

    At tables for more than two the others are of the lower level, and from the third step on of the next below that.
    """
    others = sides - PAIR_SIDES
    fields = [lower if lower < PLAIN_FIELDS else lower - 1 for lower in range(levels - 1)]
    steps = [(*[field] * others, lower, lower + 1) for lower, field in enumerate(fields)]
    return [step for step, times in zip(steps, STEP_BLOCKS, strict=True) for _ in range(times)]


class Seen(msgspec.Struct, array_like=True):
    """A level's result in a block: the number of its sides, and their wins in all games together."""

    sides: int
    won: float


class Ladder(Kept, kw_only=True):
    """The tournament of a game and number of seats: a row is one deal, played from all sides, with results."""

    blocks: list[dict[str, Seen]] = msgspec.field(default_factory=list)

    @property
    def games(self) -> int:
        """Return the number of played games."""
        return len(self.blocks) * len(registered()[self.game].teams(self.seats))

    def ratings(self) -> dict[str, EloRating]:
        """Return the rating of every level, in points above the one at zero."""
        kept: dict[tuple[int, ...], Blocks] = {}
        for block in self.blocks:
            line_up = tuple(place for place, name in enumerate(LADDER) for _ in range(sides_of(block, name)))
            if line_up not in kept:
                kept[line_up] = Blocks(list(line_up), [0] * len(LADDER), [[0] * len(LADDER) for _ in LADDER])
            kept[line_up].close([round(block[name].won * SHARES) if name in block else 0 for name in LADDER])
        meetings = [blocks.meeting(len(LADDER)) for blocks in kept.values()]
        return dict(zip(LADDER, Ratings(meetings, len(LADDER), ZERO).of, strict=True))

    def step_games(self) -> list[int]:
        """Return the number of games of each two neighbours at one table, the lowest first."""
        sides = len(registered()[self.game].teams(self.seats))
        return [
            sum(sides for block in self.blocks if lower in block and higher in block)
            for lower, higher in pairwise(LADDER)
        ]

    @property
    def is_of_today(self) -> bool:
        """Return whether all levels still play as they did then."""
        return self.plays_like(new_ladder(registered()[self.game], self.seats))

    def is_settled(self, games: int) -> bool:
        """Return whether all neighbours have met in this number of games and their intervals lie apart."""
        if min(self.step_games()) < games:
            return False
        ratings = list(self.ratings().values())
        return all(apart(lower, higher) for lower, higher in pairwise(ratings))


def sides_of(block: dict[str, Seen], name: str) -> int:
    """Return the number of sides of a level in a block."""
    return block[name].sides if name in block else 0


def apart(lower: EloRating, higher: EloRating) -> bool:
    """Return whether the whole interval of one rating lies below that of another."""
    return lower.high is not None and higher.low is not None and lower.high < higher.low


def new_ladder(game: Game, seats: int) -> Ladder:
    """Return a tournament of which nothing was played."""
    return Ladder(
        game=game.slug,
        seats=seats,
        begun=time.strftime("%Y-%m-%d", time.gmtime()),
        machine=processor(),
        weights=weights(game, seats, *LADDER),
        levels=efforts(game, seats, *LADDER),
        advisers=marks(game, seats, *LADDER),
    )


def resume_ladder(game: Game, seats: int, kept: Path) -> Ladder:
    """Return a tournament as far as it is kept, if all levels still play alike; else begin it."""
    fresh = new_ladder(game, seats)
    before = load_kept(Ladder, fresh.name, kept)
    if before is not None and before.players == fresh.players:
        return before
    return fresh


def plan(game: Game, seats: int, rounds: int) -> LadderPlan:
    """Return the schedule of a tournament of all levels."""
    bots = tuple(level_of(game, name, seats) for name in LADDER)
    return LadderPlan(game, seats, LADDER, bots, game.options_type(), "levels", rounds, ZERO)


def blocks_of(game: Game, seats: int, rounds: int) -> int:
    """Return the number of blocks in some rounds."""
    return rounds * len(plan(game, seats, rounds).line_ups)


def play_ladder(game: Game, ladder: Ladder, rounds: int, kept: Path, enough: int = 0) -> Iterator[Ladder]:
    """Play on to the end of a number of rounds, writing every block down and yielding the tournament after it.

    With `enough`, a tournament ends with a round once neighbours have met this often and their intervals lie apart.
    """
    schedule = plan(game, ladder.seats, rounds)
    work, sides = SimulationWork(schedule), len(schedule.teams)
    steps = len(schedule.line_ups)
    while len(ladder.blocks) < rounds * steps:
        number = len(ladder.blocks)
        if enough and number % steps == 0 and number and ladder.is_settled(enough):
            return
        began = time.process_time()
        ladder.blocks.append(block(work, range(number * sides, (number + 1) * sides)))
        ladder.seconds += time.process_time() - began
        keep(ladder, kept)
        yield ladder


def block(work: SimulationWork, numbers: Sequence[int]) -> dict[str, Seen]:
    """Play the games of a block and return what each level got."""
    got: dict[str, Seen] = {}
    for game in map(work.play, numbers):
        for seat, *_ in work.plan.game.teams(len(game.bots)):
            name = LADDER[game.bots[seat]]
            seen = got.setdefault(name, Seen(0, 0.0))
            seen.won += game.rewards[seat]
            seen.sides += game.game == numbers[0]
    return got
