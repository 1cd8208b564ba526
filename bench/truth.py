"""Independent measurements of gains and risks, at one position each.

* Gains: the leaves of a search are valued again without the named features. That has to remove at least half of the
  difference between the two moves.
* Risks: the move is searched again in fresh worlds, and played out there by players who look one ply ahead.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from math import exp, hypot, log
from typing import Any, Final, NamedTuple

from librt.vecs import vec
from mypy_extensions import i64

from games.barbarossa.bots.adviser import Adviser
from games.barbarossa.bots.mind import Mind
from games.barbarossa.bots.skills import EXPERT
from games.barbarossa.game import Barbarossa
from games.barbarossa.table.hall import Hall
from games.barbarossa.table.lexicon import TERM_COUNT
from games.barbarossa.terms.catalogue import TERM_NUMBERS
from games.core.bits import bit, first, has
from games.core.game import Game
from games.core.reasons import OUTCOME, Gain
from games.core.table import FACTS, NO_FACT, Table, Worth
from games.hoher_rat.worth import CouncilWorth
from games.search.advise import seed_of
from games.search.analysis import Analysis
from games.search.explain import MIN_VISITS, gains_of, parts_of
from games.search.pick import greedy_move
from games.search.risks import Answers, margin_of, sample
from games.search.trace import CELLS, OTHERS, MoveTrace
from games.search.tree import TreeSearch
from games.search.worlds import world_dice

BARBAROSSA: Final = Barbarossa()

PLIES: Final = 8
"""Number of moves after which a game that is played out is valued."""

MAX_ROUNDS: Final = 4
"""Maximum number of searches in which a move has to get the iterations of one."""


class Leaf(NamedTuple):
    """The estimate of a leaf for each seat, and whether it has terms."""

    rewards: list[float]
    running: bool


class Recorder(Worth):
    """An evaluation that keeps the estimates of leaves."""

    def __init__(self, worth: Worth) -> None:
        """Take the evaluation."""
        self.worth = worth
        self.leaves: list[Leaf] = []

    def estimate(self, table: Table) -> vec[float]:
        """Return the estimate, and keep it."""
        rewards = self.worth.estimate(table)
        running = bool(table.actors()) and len(self.worth.terms(table, rewards)) > 0
        self.leaves.append(Leaf([*rewards], running))
        return rewards

    def prior(self, table: Table, seat: i64) -> float:
        """Return the estimate of a move that was not walked."""
        return self.worth.prior(table, seat)

    def terms(self, table: Table, rewards: vec[float]) -> vec[float]:
        """Return the terms."""
        return self.worth.terms(table, rewards)

    def slopes(self, table: Table, seat: i64, rewards: vec[float]) -> vec[float]:
        """Return the slopes."""
        return self.worth.slopes(table, seat, rewards)


def revalued(worth: Worth, seats: int, rewards: Sequence[float], seat: int, shift: Sequence[float]) -> float:
    """Return a seat's estimate after the sum of each party has changed by `shift`."""
    if not isinstance(worth, CouncilWorth):
        weights = [reward * exp(change) for reward, change in zip(rewards, shift, strict=True)]
        return sum(rewards) * weights[seat] / sum(weights)
    pro, lead = rewards[0], shift[0] - shift[1]
    if has(worth.corrected, seats):
        pro = 1 / (1 + exp(-(log(pro / (1 - pro)) + lead)))
    else:
        part = (pro - 0.5) / 0.49
        lead += part / (1 - abs(part))
        pro = 0.5 + 0.49 * lead / (1 + abs(lead))
    return 1 - pro if seat % 2 else pro


Cells = tuple[list[float], list[float]]
"""Count, sum and sum of squares of the values with a fact and without it."""


class Comparison(NamedTuple):
    """The gains of a move over another, with the difference that they are to explain and the part that they do."""

    difference: float
    gains: list[Gain]
    removed: float

    @property
    def part(self) -> float:
        """Return the part of the difference that disappears without the named features."""
        return self.removed / self.difference


def compare(game: Game, table: Table, seat: int, worth: Worth, iterations: int, seed: int) -> Comparison | None:
    """Search, explain the difference of the two best moves, and value their leaves again without the gains."""
    recorder = Recorder(worth)
    search = TreeSearch(table, seat, recorder, seed)
    traces, leaves, visits = search.record().moves, defaultdict[int, list[Leaf]](list), dict[int, int]()
    for _ in range(iterations):
        before = len(recorder.leaves)
        search.run(1)
        for move, line in search.lines.items():
            if line.visits != visits.get(move, 0):
                visits[move] = int(line.visits)
                leaves[move] += recorder.leaves[before:]
    ranked = sorted(traces, key=lambda move: -traces[move].visits)[:2]
    if len(ranked) < 2 or min(traces[move].visits for move in ranked) < MIN_VISITS:
        return None
    own, other = (traces[move] for move in ranked)
    difference = search.lines[ranked[0]].mean - search.lines[ranked[1]].mean
    gains = gains_of(game, table, seat, worth, own, other, difference)
    ended = sum(gain.value for gain in gains if gain.code == OUTCOME)
    shift = shifts(game, table, gains, own, other) if own.running and other.running else []
    removed = 0.0
    for sign, move in ((-1, ranked[0]), (1, ranked[1])):
        running = [leaf.rewards for leaf in leaves[move] if leaf.running]
        if running and shift:
            change = [sign * each for each in shift]
            moved = [revalued(worth, table.seats, each, seat, change) - each[seat] for each in running]
            removed += sign * sum(moved) / len(running) / 2
    return Comparison(difference, gains, removed + ended)


def shifts(game: Game, table: Table, gains: Sequence[Gain], own: MoveTrace, other: MoveTrace) -> list[float]:
    """Return the difference of each party's sum that the named gains make up."""
    groups, parties = {group.code: group for group in game.groups}, game.teams(table.seats)
    means = [[term / trace.running for term in trace.terms] for trace in (own, other)]
    size, found = len(means[0]) // len(parties), [0.0] * len(parties)
    for gain in gains:
        if gain.code != OUTCOME:
            party = parties.index(gain.seats)
            places = [party * size + term for term in groups[gain.code].terms]
            found[party] += sum(means[0][place] - means[1][place] for place in places)
    return found


class Check(NamedTuple):
    """The loss of a risk as stated and as found in fresh worlds, each with its 95 % margin."""

    stated: float
    margin: float
    found: float
    found_margin: float

    @property
    def agrees(self) -> bool:
        """Return whether both are the same within their margins."""
        return abs(self.stated - self.found) <= hypot(self.margin, self.found_margin)

    @property
    def is_loss(self) -> bool:
        """Return whether the loss in fresh worlds is certain."""
        return self.found > self.found_margin


def facts_of(game: Game, table: Table, move: int) -> dict[tuple[str, str], int]:
    """Return the numbers of facts by code and parameters."""
    found = dict[tuple[str, str], int]()
    for number in range(FACTS):
        try:
            code, params = game.fact(table, number, move)
        except IndexError:
            continue
        found.setdefault((code, str(params)), number)
    return found


def number_of(game: Game, table: Table, move: int, risk: dict[str, Any]) -> int:
    """Return the number of the fact of a risk."""
    return facts_of(game, table, move)[risk["code"], str(risk["params"])]


def fresh_search(table: Table, seat: int, worth: Worth, move: int, iterations: int, seed: int) -> TreeSearch:
    """Search a move in fresh worlds, with about this number of iterations and a trace.

    The move is searched alone. If others answer at the same time, all moves are searched until there are enough
    iterations with this one: otherwise the others would learn to expect it.
    """
    if table.actors() == bit(seat):
        search = TreeSearch(table, seat, worth, seed, only=move)
        search.record()
        search.run(iterations)
        return search
    search = TreeSearch(table, seat, worth, seed)
    traces = search.record().moves
    for _ in range(MAX_ROUNDS):
        search.run(iterations)
        if move in traces and traces[move].visits >= iterations:
            break
    return search


def fresh_trace(table: Table, seat: int, worth: Worth, move: int, iterations: int, seed: int) -> MoveTrace:
    """Return the trace of a move in fresh worlds, of about this number of iterations."""
    return trace_of(fresh_search(table, seat, worth, move, iterations, seed), move)


def trace_of(search: TreeSearch, move: int) -> MoveTrace:
    """Return the trace of a move, an empty one if the search has not made the move."""
    moves = search.trace.moves if search.trace else {}
    return moves.get(move) or MoveTrace()


def cells_of(trace: MoveTrace, fact: int) -> Cells:
    """Return the values of a move's iterations with a fact and without it."""
    cells = [*trace.cells] or [0.0] * (OTHERS + 2 * CELLS)
    held = [cells[2 * fact * CELLS + place] + cells[(2 * fact + 1) * CELLS + place] for place in range(CELLS)]
    total = [cells[OTHERS + place] + cells[OTHERS + CELLS + place] for place in range(CELLS)]
    return held, [one - two for one, two in zip(total, held, strict=True)]


def play_out(search: TreeSearch, move: int, worlds: int, seed: int) -> MoveTrace:
    """Play a move in fresh worlds, then PLIES moves of players one ply ahead, and return the values by fact.

    Answers of others at the same time have the frequencies of the search.
    """
    found, answers, seat = MoveTrace(), Answers(search), int(search.observer)
    for world in range(worlds):
        dice = world_dice(seed, world)
        told = answers.drawn(dice)
        place = answers.dealt(dice)
        facts = {*place.facts(seat), *(answers.fact(move, other, answer) for other, answer in told.items())}
        answers.play(place, move, told, dice)
        for ply in range(PLIES):
            actors = place.actors()
            if not actors:
                break
            actor = first(actors)
            made = int(greedy_move(place, actor, search.worth, 1, seed_of(seed, world, ply)))
            place.apply(actor, made, dice, None)
        found.visits = world
        found.count(vec[i64](sorted(facts - {NO_FACT})), search.worth.estimate(place)[seat])
    return found


def check(stated: float, margin: float, cells: Cells) -> Check | None:
    """Return the comparison of a stated loss with values in fresh worlds, or None if there are too few."""
    held, free = (sample(each) for each in cells)
    if min(held.cases, free.cases) < 10:
        return None
    return Check(stated, margin, free.mean - held.mean, margin_of(held, free))


class Turned(NamedTuple):
    """Changes of side of a move's main gain and main risk; None where there is none to compare."""

    gain: bool | None
    risk: bool | None


def turned(game: Game, longer: Analysis, row: dict[str, Any]) -> Turned:
    """Return whether the main reasons in the row of a move hold in a longer search."""
    reasons, traces = row["reasons"], longer.reasoner.traces if longer.reasoner else {}
    own, other = traces.get(row["code"]), traces.get(reasons.get("against"))
    gain = risk = None
    if reasons["gains"] and own is not None and other is not None:
        main = reasons["gains"][0]
        parts = parts_of(game, longer.table, longer.seat, longer.worth, own, other)
        value = sum(part.value for part in parts if (part.code, part.seats) == (main["code"], main["seats"]))
        gain = value * main["value"] <= 0
    if reasons["risks"] and own is not None:
        fact = number_of(game, longer.table, row["code"], reasons["risks"][0])
        found = check(0.0, 0.0, cells_of(own, fact))
        risk = found is None or found.found <= 0
    return Turned(gain, risk)


# Barbarossa: the risks of an attempt and of a question.


def solved(hall: Hall, seat: int, move: int, params: dict[str, Any]) -> tuple[float, float]:
    """Return the seat's chance after a wrong and after a right attempt, by the hats."""
    found = list[float]()
    for right in (False, True):
        place = hall.clone()
        riddle = place.renew(params["riddle"])
        term = TERM_NUMBERS[params["term"]]
        riddle.term = term if right else (term + 1) % TERM_COUNT
        place.apply(seat, move, world_dice(1, 1), None)
        found.append(
            Mind(BARBAROSSA.view(place, seat), seat, EXPERT).now if place.actors() else float(place.rewards()[seat])
        )
    return found[0], found[1]


def worth_after(hall: Hall, seat: int) -> float:
    """Return a seat's chance by its adviser: with the best move if it has to move, otherwise as the hats stand."""
    view = BARBAROSSA.view(hall, seat)
    if seat in view.actors:
        lines = Adviser(view, EXPERT, 1).lines
        return max(line.mean for line in lines.values())
    return Mind(view, seat, EXPERT).now
