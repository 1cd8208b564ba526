"""The record of a search from which reasons are made: leaves, hidden facts and continuations by first move; compiled.

A search without a trace records nothing. A trace changes no value and no choice of its search.

To save time, a trace skips the first iterations of each move, whose leaves are next to the root. It records the facts
of all later ones. It samples their continuations and terms: all at first, then one in two, then one in four. A sampled
iteration weighs as much as the iterations that it stands for.
"""

from __future__ import annotations

from typing import Final

from librt.vecs import append, vec
from mypy_extensions import i64

from games.core.bits import bit, has
from games.core.table import FACTS, Table, Worth

LINE: Final = 6
"""Maximum number of moves in a continuation."""

STEPS: Final = 50_000
"""Maximum number of places in all continuations."""

SEATS: Final = 8
"""The key of a move in a continuation is SEATS times its code, plus its seat."""

CELLS: Final = 3
"""Numbers per fact and half: count, sum and sum of squares of the values."""

OTHERS: Final = 2 * FACTS * CELLS
"""The place of the sums over all iterations, behind those of the facts."""

SKIPPED: Final = 8
"""Number of first iterations of a move that are not recorded."""

ALL_UPTO: Final = 32
HALF_UPTO: Final = 96
"""Numbers of iterations of a move up to which all are sampled for terms and continuations, and every second one."""


class Step:
    """A place in the continuations of a move; `world` is the last iteration that has visited it."""

    __slots__ = ("kids", "visits", "world")

    def __init__(self) -> None:
        """Begin without visits."""
        self.visits: i64 = 0
        self.world: i64 = 0
        self.kids: dict[i64, Step] | None = None

    def kid(self, key: i64) -> Step | None:
        """Return the place that a move leads to, if it was met."""
        kids = self.kids
        if kids is None:
            return None
        return kids.get(key)

    def put(self, key: i64, kid: Step) -> None:
        """Add the place that a move leads to."""
        kids = self.kids
        if kids is None:
            kids = {}
            self.kids = kids
        kids[key] = kid

    def visit(self, world: i64) -> None:
        """Count a visit."""
        self.visits += 1
        self.world = world


class MoveTrace:
    """Sums over the iterations of a search with a `seed` that began with one move of the observer.

    `weight` is the weight of the sampled iterations and `total` the sum of their values. `running` is the weight of
    the sampled leaves with terms. `value`, `terms` and `slopes` are the sums of their values, terms and slopes.
    `cells` has the sums for each fact in two halves, those of odd and of even iterations: one half finds facts that
    matter, the other measures them.
    """

    __slots__ = ("cells", "running", "seed", "slopes", "start", "terms", "total", "value", "visits", "weight")

    def __init__(self, seed: i64 = 0) -> None:
        """Begin with empty sums."""
        self.seed: i64 = seed
        self.visits: i64 = 0
        self.weight: float = 0.0
        self.running: float = 0.0
        self.total: float = 0.0
        self.value: float = 0.0
        self.terms = vec[float]()
        self.slopes = vec[float]()
        self.cells = vec[float]()
        self.start = Step()

    def count(self, facts: vec[i64], value: float) -> None:
        """Add the facts of an iteration with its value."""
        if len(self.cells) == 0:
            self.cells = vec[float]([0.0] * (OTHERS + 2 * CELLS))
        half: i64 = self.visits & 1
        self.put(OTHERS + half * CELLS, value)
        i: i64
        for i in range(len(facts)):
            self.put((2 * facts[i] + half) * CELLS, value)

    def put(self, cell: i64, value: float) -> None:
        """Add a value to three cells."""
        self.cells[cell] += 1.0
        self.cells[cell + 1] += value
        self.cells[cell + 2] += value * value

    def uncertain(self, cases: float) -> vec[i64]:
        """Return the facts that held, and did not hold, in at least this number of iterations of each half."""
        found = vec[i64]()
        fact: i64
        for fact in range(len(self.cells) // (2 * CELLS) - 1):
            cell: i64 = 2 * fact * CELLS
            if self.is_open(cell, OTHERS, cases) and self.is_open(cell + CELLS, OTHERS + CELLS, cases):
                found = append(found, fact)
        return found

    def is_open(self, cell: i64, whole: i64, cases: float) -> bool:
        """Return whether a cell counts enough iterations, and enough fewer than the cell of all iterations."""
        return self.cells[cell] >= cases and self.cells[whole] - self.cells[cell] >= cases

    def stride(self) -> i64:
        """Return the number of iterations of which one is sampled now."""
        if self.visits <= ALL_UPTO:
            return 1
        if self.visits <= HALF_UPTO:
            return 2
        return 4

    def weigh(self, worth: Worth, table: Table, seat: i64, rewards: vec[float], weight: float = 1.0) -> None:
        """Add a sampled leaf, with its terms if it has some."""
        self.weight += weight
        self.total += weight * rewards[seat]
        if table.actors() == 0:
            return
        terms = worth.terms(table, rewards)
        if len(terms) == 0:
            return
        self.running += weight
        self.value += weight * rewards[seat]
        self.terms = added(self.terms, terms, weight)
        self.slopes = added(self.slopes, worth.slopes(table, seat, rewards), weight)


class Trace:
    """The record of a search by the observer's first move."""

    __slots__ = ("asked", "facts", "moves", "observer", "room", "root", "seats", "seed", "told", "worlds", "worth")

    def __init__(self, root: Table, observer: i64, worth: Worth, seed: i64, worlds: i64) -> None:
        """Take the root, the observer, the evaluation of leaves, and the seed and number of the worlds so far."""
        self.root = root
        self.observer: i64 = observer
        self.worth = worth
        self.seed: i64 = seed
        self.worlds: i64 = worlds
        self.moves: dict[int, MoveTrace] = {}
        self.room: i64 = STEPS
        self.asked: i64 = root.actors()
        self.facts = vec[i64]()
        self.seats = vec[i64]()
        self.told = vec[i64]()

    def open(self, world: Table) -> None:
        """Begin an iteration in the next dealt world."""
        self.worlds += 1
        self.facts = world.facts(self.observer)
        self.seats = vec[i64](capacity=LINE)
        self.told = vec[i64](capacity=LINE)

    def step(self, seat: i64, move: i64) -> None:
        """Record a move of the iteration."""
        if len(self.told) < LINE:
            self.seats = append(self.seats, seat)
            self.told = append(self.told, move)

    def close(self, leaf: Table, move: i64, rewards: vec[float]) -> None:
        """End an iteration that began with a move of the observer."""
        found = self.moves.get(move)
        if found is None:
            found = MoveTrace(self.seed)
            self.moves[move] = found
        found.visits += 1
        if found.visits <= SKIPPED:
            return
        found.count(self.facts_after(move), rewards[self.observer])
        stride: i64 = found.stride()
        if found.visits % stride == 0:
            found.weigh(self.worth, leaf, self.observer, rewards, float(stride))
            self.follow(found.start, move)

    def facts_after(self, move: i64) -> vec[i64]:
        """Return the facts of the iteration: those of its world, and the others' answers to the observer's move."""
        facts = self.facts
        awaited: i64 = self.asked & ~bit(self.observer)
        i: i64
        for i in range(len(self.told)):
            if has(awaited, self.seats[i]):
                awaited &= ~bit(self.seats[i])
                fact: i64 = self.root.answer_fact(self.observer, move, self.seats[i], self.told[i])
                if fact >= 0:
                    facts = append(facts, fact)
        return facts

    def follow(self, place: Step, own: i64) -> None:
        """Add the moves after the observer's first one to its continuations; at most one place is new."""
        world: i64 = self.worlds - 1
        place.visit(world)
        skipped: bool = False
        i: i64
        for i in range(len(self.told)):
            if not skipped and self.seats[i] == self.observer and self.told[i] == own:
                skipped = True
                continue
            key: i64 = self.told[i] * SEATS + self.seats[i]
            kid = place.kid(key)
            if kid is None:
                if self.room == 0:
                    return
                self.room -= 1
                kid = Step()
                place.put(key, kid)
                kid.visit(world)
                return
            kid.visit(world)
            place = kid


def added(sums: vec[float], more: vec[float], weight: float) -> vec[float]:
    """Add weighted numbers to sums in place, and return the sums; empty sums begin with the numbers."""
    i: i64
    if len(sums) == 0:
        sums = vec[float]([0.0] * len(more))
    for i in range(len(more)):
        sums[i] += weight * more[i]
    return sums
