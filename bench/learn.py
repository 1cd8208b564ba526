"""A learned correction of a game's evaluation: `python -m bench learn --game gartenzwerge`.

Games of `tuned` with itself, one move in ASTRAY random, are stored as their moves and results, so other features need
no other games. A small net is fitted to positions of these games, dealt as the seat to move sees them. It is added to
the estimate of `tuned` for every seat or team, before chances are shared out. In each further generation the net plays
games with itself, and is fitted to all games so far. One game in HELD_BACK is left out of the fit. Equal numbers give
equal nets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Final

import msgspec
import numpy as np
from librt.vecs import vec
from mypy_extensions import i64
from numpy.typing import NDArray

from bench.arena import glancing, unit
from bench.tune import ROOT
from games.core.bits import first
from games.core.dice import CHOICE, FastDice, SplitDice
from games.core.game import Game
from games.core.net import END, ONE, SCALE, UNITS
from games.core.nets import FILE, NetFile
from games.core.table import Table, Worth
from games.gartenzwerge.table import features as club
from games.hoher_rat.table import features as council
from games.search.advise import seed_of
from games.search.pick import greedy_move
from workers.simulate.tally import wilson

RESULTS: Final = ROOT / "build" / "learn"

ASTRAY: Final = 20
"""Interval of random moves."""

HELD_BACK: Final = 10
"""Interval of games that are left out of the fit."""

LOOKED_AT: Final = 20
"""Interval of recorded positions."""

GENERATION_STEP: Final = 1_000_000
"""Difference between the numbers of a generation's games and those of the one before."""

EPOCHS: Final = 8
BATCH: Final = 512
RATE: Final = 3e-3
DECAY: Final = 1e-3
Numbers = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Told:
    """The description of a game's table for a net: the columns, and the quantities whose levels they are.

    `members` of the columns are about a member, which is a seat or, if seats win together, a team.
    """

    told: Callable[..., vec[i64]]
    quantities: Sequence[tuple[str, int, bool]]
    members: int


LEARNT: Final = {
    "gartenzwerge": Told(club.columns_of, club.QUANTITIES, club.EVENT),
    "hoher-rat": Told(council.columns_of, council.QUANTITIES, council.FACTION),
}
"""The games with a net to learn."""


class Played(msgspec.Struct, frozen=True):
    """A game as it is kept: its number, its moves and the rewards."""

    number: int
    moves: list[int]
    rewards: list[float]


def open_game(game: Game, seats: int, number: int) -> tuple[Table, SplitDice]:
    """Return the table of a numbered game before its first move, with the dice it is played with."""
    draws = SplitDice(seed_of("learn", game.slug, seats, number))
    return game.new(seats, game.options_type(), draws), draws


def play(game: Game, worth: Worth, seats: int, number: int) -> Played:
    """Play a numbered game of a player that looks one ply ahead with himself."""
    table, draws = open_game(game, seats, number)
    lots = FastDice(seed_of("astray", game.slug, seats, number))
    moves: list[int] = []
    while actors := table.actors():
        seat = first(actors)
        legal = table.legal(seat)
        code = int(legal[0])
        if len(table.candidates(seat)) > 1:
            code = int(greedy_move(table, seat, worth, 1, seed_of("learn", number, table.ply)))
            if lots.below(ASTRAY, CHOICE) == 0:
                code = int(legal[lots.below(len(legal), CHOICE)])
        moves.append(code)
        draws.seat = seat
        table.apply(seat, code, draws, None)
    return Played(number, moves, list(table.rewards()))


def games_of(path: Path) -> Iterator[Played]:
    """Yield the games of a file, without an incomplete last one."""
    if path.exists():
        for line in path.read_bytes().splitlines(keepends=True):
            if line.endswith(b"\n"):
                yield msgspec.json.decode(line, type=Played)


def gather(game: Game, worth: Worth, path: Path, seats: int, numbers: Sequence[int]) -> list[Played]:
    """Return the games of these numbers, playing the missing ones."""
    path.parent.mkdir(parents=True, exist_ok=True)
    kept = list(games_of(path))[: len(numbers)]
    path.write_bytes(b"".join(msgspec.json.encode(one) + b"\n" for one in kept))
    with path.open("ab", buffering=0) as file:
        for number in numbers[len(kept) :]:
            kept.append(play(game, worth, seats, number))
            file.write(msgspec.json.encode(kept[-1]) + b"\n")
    return kept


@dataclass(frozen=True, slots=True)
class Positions:
    """Positions of one number of seats, a row of each for every team: facts of each and in common; chances.

    `tuned` are today's chances and `chances` the corrected ones. The last columns are the results and the numbers of
    the games.
    """

    members: NDArray[np.uint8]
    common: NDArray[np.uint8]
    tuned: Numbers
    chances: Numbers
    outcome: Numbers
    game: NDArray[np.int64]

    def part(self, chosen: NDArray[np.bool_] | NDArray[np.int64]) -> Positions:
        """Return some of them."""
        return Positions(*(getattr(self, name)[chosen] for name in self.__slots__))


def levels(quantities: Sequence[tuple[str, int, bool]]) -> NDArray[np.uint8]:
    """Return the facts that a column stands for, with the lower ones if a level includes them."""
    size = sum(number for _, number, _ in quantities)
    found = np.eye(size, dtype=np.uint8)
    at = 0
    for _, number, holds in quantities:
        if holds:
            found[at : at + number, at : at + number] = np.tri(number, dtype=np.uint8)
        at += number
    return found


def untaught(game: Game, seats: int) -> NetFile:
    """Return a net that corrects nothing."""
    way = LEARNT[game.slug]
    return Learner(way.members, len(levels(way.quantities)), 1).written(way.quantities, [seats], {})


def by_team(game: Game, rewards: Sequence[float] | vec[float]) -> list[float]:
    """Return the rewards of teams from those of their seats."""
    return [rewards[team[0]] for team in game.teams(len(rewards))]


def positions(game: Game, seats: int, games: Sequence[Played]) -> Positions:
    """Return positions of games, as the seat to move sees them."""
    way, worth, base = LEARNT[game.slug], game.worths["tuned"], game.corrected(untaught(game, seats))
    facts = levels(way.quantities)
    rows: list[NDArray[np.uint8]] = []
    tuned: list[list[float]] = []
    chances: list[list[float]] = []
    outcome: list[list[float]] = []
    numbers: list[int] = []
    for played in games:
        table, draws = open_game(game, seats, played.number)
        lots = FastDice(seed_of("looked", played.number))
        for code in played.moves:
            seat = first(table.actors())
            if lots.below(LOOKED_AT, CHOICE) == 0:
                seen = table.clone()
                seen.redeal(seat, lots)
                rows.append(facts_told(way.told(seen), len(game.teams(seats)), facts))
                tuned.append(by_team(game, worth.estimate(seen)))
                chances.append(by_team(game, base.estimate(seen)))
                outcome.append(by_team(game, played.rewards))
                numbers.append(played.number)
            draws.seat = seat
            table.apply(seat, code, draws, None)
    every = np.array(rows)
    return Positions(
        every[:, :-1, : way.members],
        every[:, -1],
        np.array(tuned, np.float32),
        np.array(chances, np.float32),
        np.array(outcome, np.float32),
        np.array(numbers),
    )


def facts_told(told: Sequence[int] | vec[i64], members: int, facts: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the facts that lists of columns stand for: a row for each member and one for all."""
    rows = np.zeros((members + 1, len(facts)), np.uint8)
    row = 0
    for column in told:
        if column == END:
            row += 1
        else:
            rows[row] |= facts[column]
    return rows


def loss(chances: Numbers, outcome: Numbers) -> float:
    """Return the mean of minus the logarithm of the chance of the result; lower is better."""
    return float(-(outcome * np.log(np.maximum(chances, 1e-6))).sum(1).mean())


class Learner:
    """A net in work: real numbers, and Adam's means and squares of every slope."""

    def __init__(self, members: int, facts: int, seed: int) -> None:
        """Begin with small random weights and a second layer of zeros."""
        chance = np.random.default_rng(seed)
        self.weights: dict[str, Numbers] = {
            "own": chance.normal(0, 0.15, (members, UNITS)).astype(np.float32),
            "foe": chance.normal(0, 0.1, (members, UNITS)).astype(np.float32),
            "common": chance.normal(0, 0.15, (facts, UNITS)).astype(np.float32),
            "second": np.zeros(UNITS, np.float32),
        }
        self.means = {name: np.zeros_like(one) for name, one in self.weights.items()}
        self.squares = {name: np.zeros_like(one) for name, one in self.weights.items()}
        self.steps = 0

    def layers(self, some: Positions) -> tuple[Numbers, Numbers, Numbers, Numbers, Numbers]:
        """Return own facts, those of others and the common, then the first layer's sums, and the chances."""
        number, seats, facts = some.members.shape
        own = some.members.reshape(number * seats, facts).astype(np.float32)
        total = some.members.sum(1, dtype=np.float32)
        foe = (total[:, None, :] - some.members).reshape(number * seats, facts).astype(np.float32)
        common = some.common.astype(np.float32)
        shared = np.repeat(common @ self.weights["common"], seats, 0)
        sums = own @ self.weights["own"] + foe @ self.weights["foe"] + shared
        added = (np.clip(sums, 0, 1) @ self.weights["second"]).reshape(number, seats)
        strength = np.where(some.chances > 0, added + np.log(np.maximum(some.chances, 1e-6)), -50.0)
        parts = np.exp(strength - strength.max(1, keepdims=True))
        return own, foe, common, sums, (parts / parts.sum(1, keepdims=True)).astype(np.float32)

    def chances(self, some: Positions) -> Numbers:
        """Return the net's chances for positions."""
        every = np.arange(len(some.chances))
        cuts = np.array_split(every, 1 + len(every) // 8192)
        return np.concatenate([self.layers(some.part(cut))[-1] for cut in cuts])

    def step(self, some: Positions, rate: float) -> None:
        """Go one step down the slope of the loss."""
        own, foe, common, sums, chances = self.layers(some)
        slope = ((chances - some.outcome) / len(chances)).reshape(-1).astype(np.float32)
        inner = slope[:, None] * self.weights["second"] * ((sums > 0) & (sums < 1))
        slopes = {
            "own": own.T @ inner,
            "foe": foe.T @ inner,
            "common": common.T @ inner.reshape(*chances.shape, UNITS).sum(1),
            "second": np.clip(sums, 0, 1).T @ slope,
        }
        self.steps += 1
        for name, found in slopes.items():
            pull = found + DECAY * self.weights[name]
            self.means[name] += 0.1 * (pull - self.means[name])
            self.squares[name] += 0.001 * (pull * pull - self.squares[name])
            mean = self.means[name] / (1 - 0.9**self.steps)
            square = self.squares[name] / (1 - 0.999**self.steps)
            self.weights[name] -= rate * mean / (np.sqrt(square) + 1e-8)

    def written(
        self, quantities: Sequence[tuple[str, int, bool]], seats: Sequence[int], card: dict[str, str]
    ) -> NetFile:
        """Return the net in integers."""
        members = len(self.weights["own"])
        facts = levels(quantities).astype(np.float64)
        whole = self.weights["common"].astype(np.float64).copy()
        whole[:members] = self.weights["foe"]
        own = facts[:members, :members] @ (self.weights["own"] - self.weights["foe"]).astype(np.float64)
        foe = facts @ whole
        second = np.rint(self.weights["second"].astype(np.float64) * SCALE / ONE).astype(int)
        return NetFile(
            seats=list(seats),
            card=card,
            second=second.tolist(),
            own=np.rint(own * ONE).astype("<i2").tobytes(),
            foe=np.rint(foe * ONE).astype("<i2").tobytes(),
        )


def fit(groups: Sequence[Positions], seed: int) -> Learner:
    """Return the net fitted to positions, those of each number of seats in batches of their own."""
    learner = Learner(groups[0].members.shape[2], groups[0].common.shape[1], seed)
    order = np.random.default_rng(seed)
    for epoch in range(EPOCHS):
        rate = RATE * 0.5 * (1 + float(np.cos(np.pi * epoch / EPOCHS)))
        batches: list[tuple[int, NDArray[np.int64]]] = []
        for number, group in enumerate(groups):
            every = order.permutation(len(group.chances))
            batches += [(number, cut) for cut in np.array_split(every, 1 + len(every) // BATCH)]
        for place in order.permutation(len(batches)):
            number, cut = batches[place]
            learner.step(groups[number].part(cut), rate)
    return learner


@dataclass(slots=True)
class Learning:
    """Generations of games and the nets fitted to them: `games` by number of seats, in each generation."""

    game: Game
    games: Mapping[int, int]
    seed: int
    found: list[tuple[int, Positions]]
    net: NetFile | None = None
    generation: int = 0
    told_matches: list[str] = field(default_factory=list)

    def step(self) -> list[str]:
        """Play a generation of games, fit the net to all so far, and return what it makes of games held back."""
        worth = self.game.corrected(self.net) if self.net else self.game.worths["tuned"]
        mark = f"{self.net.mark:08x}" if self.net else "tuned"
        for seats, number in self.games.items():
            numbers = range(self.generation * GENERATION_STEP, self.generation * GENERATION_STEP + number)
            played = gather(self.game, worth, RESULTS / f"{self.game.slug}-{seats}-{mark}.jsonl", seats, numbers)
            self.found.append((seats, positions(self.game, seats, played)))
        learner = fit([group.part(group.game % HELD_BACK != 0) for _, group in self.found], self.seed)
        self.generation += 1
        told = [self.told(learner, seats) for seats in self.games]
        card = {
            "made": "python3 dev.py bench learn --game " + self.game.slug + self.arguments(),
            "games": " ".join(f"{self.generation * number} with {seats}" for seats, number in self.games.items()),
            "loss": "; ".join(told),
        }
        self.net = learner.written(LEARNT[self.game.slug].quantities, list(self.games), card)
        return told

    def told(self, learner: Learner, seats: int) -> str:
        """Return the losses of today's evaluation and the net in held-back games with this number of seats."""
        held = [group.part(group.game % HELD_BACK == 0) for number, group in self.found if number == seats]
        outcome = np.concatenate([group.outcome for group in held])
        before = loss(np.concatenate([group.tuned for group in held]), outcome)
        after = loss(np.concatenate([learner.chances(group) for group in held]), outcome)
        return f"{seats} seats: {before:.4f} before, {after:.4f} now, {1 - after / before:.1%} less"

    def matches(self, deals: int) -> Iterator[tuple[float, float, str]]:
        """Play one with the net among others with `tuned`, one ply ahead, for each number of seats.

        Yield the lower end of Wilson's interval, the even share, and both in words.
        """
        assert self.net is not None  # noqa: S101 -- a step has made it
        new, old = glancing(self.game.corrected(self.net)), glancing(self.game.worths["tuned"])
        for seats in self.games:
            rows = [unit(self.game, seats, new, old, f"learn/match/{seats}/{number}") for number in range(deals)]
            results = [result for row in rows for result in row]
            low, high = wilson(sum(results), len(results))
            even = 1 / len(self.game.teams(seats))
            told = f"{seats} seats: {fmean(results):.1%} ({low:.1%} to {high:.1%}) of {len(results)}, even {even:.1%}"
            self.told_matches.append(told)
            yield low, even, told

    def carded(self) -> NetFile:
        """Return the net with the results of the matches on its card."""
        assert self.net is not None  # noqa: S101 -- a step has made it
        return msgspec.structs.replace(self.net, card={**self.net.card, "one ply ahead": "; ".join(self.told_matches)})

    def arguments(self) -> str:
        """Return the arguments of the command."""
        games = "".join(f" --seats {seats}:{number}" for seats, number in self.games.items())
        return f"{games} --generations {self.generation} --seed {self.seed}"


def write(game: Game, found: NetFile) -> Path:
    """Write a net into the game's data in the checkout and return the file."""
    path = ROOT / "games" / type(game).__module__.split(".")[1] / FILE
    path.write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")
    return path
