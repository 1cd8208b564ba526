"""The record of a search from which reasons are made: leaves, hidden facts and continuations by first move; compiled.

A search without a trace records nothing. A trace changes no value and no choice of its search.
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


class Step:
    """A place in the continuations of a move."""

    __slots__ = ("kids", "visits")

    def __init__(self) -> None:
        """Begin without visits."""
        self.visits: i64 = 0
        self.kids: dict[i64, Step] = {}


class MoveTrace:
    """Sums over the iterations that began with one move of the observer.

    `running` counts leaves with terms, `value` sums their values, `terms` and `slopes` their terms and
    slopes. `cells` has the sums for each fact in two halves, those of odd and of even iterations: one half finds
    facts that matter, the other measures them.
    """

    __slots__ = ("cells", "running", "slopes", "start", "terms", "total", "value", "visits")

    def __init__(self) -> None:
        """Begin with empty sums."""
        self.visits: i64 = 0
        self.running: i64 = 0
        self.total: float = 0.0
        self.value: float = 0.0
        self.terms = vec[float]()
        self.slopes = vec[float]()
        self.cells = vec[float]([0.0] * (OTHERS + 2 * CELLS))
        self.start = Step()

    def count(self, facts: vec[i64], value: float) -> None:
        """Add an iteration with its facts and its value."""
        self.visits += 1
        self.total += value
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

    def weigh(self, worth: Worth, table: Table, seat: i64, rewards: vec[float]) -> None:
        """Add the terms of a leaf, if it has some."""
        terms = worth.terms(table, rewards)
        if len(terms) == 0:
            return
        self.running += 1
        self.value += rewards[seat]
        self.terms = added(self.terms, terms)
        self.slopes = added(self.slopes, worth.slopes(table, seat, rewards))


class Trace:
    """The record of a search by the observer's first move."""

    __slots__ = ("asked", "facts", "moves", "observer", "room", "root", "seats", "told", "worth")

    def __init__(self, root: Table, observer: i64, worth: Worth) -> None:
        """Take the root, the observer and the evaluation of leaves."""
        self.root = root
        self.observer: i64 = observer
        self.worth = worth
        self.moves: dict[int, MoveTrace] = {}
        self.room: i64 = STEPS
        self.asked: i64 = root.actors()
        self.facts = vec[i64]()
        self.seats = vec[i64]()
        self.told = vec[i64]()

    def open(self, world: Table) -> None:
        """Begin an iteration in a dealt world."""
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
            found = MoveTrace()
            self.moves[move] = found
        facts = self.facts
        awaited: i64 = self.asked & ~bit(self.observer)
        i: i64
        for i in range(len(self.told)):
            if has(awaited, self.seats[i]):
                awaited &= ~bit(self.seats[i])
                fact: i64 = self.root.answer_fact(self.observer, move, self.seats[i], self.told[i])
                if fact >= 0:
                    facts = append(facts, fact)
        found.count(facts, rewards[self.observer])
        if leaf.actors() != 0:
            found.weigh(self.worth, leaf, self.observer, rewards)
        self.follow(found.start, move)

    def follow(self, place: Step, own: i64) -> None:
        """Add the moves after the observer's first one to its continuations; at most one place is new."""
        place.visits += 1
        skipped: bool = False
        i: i64
        for i in range(len(self.told)):
            if not skipped and self.seats[i] == self.observer and self.told[i] == own:
                skipped = True
                continue
            key: i64 = self.told[i] * SEATS + self.seats[i]
            kid = place.kids.get(key)
            if kid is None:
                if self.room == 0:
                    return
                self.room -= 1
                kid = Step()
                place.kids[key] = kid
                kid.visits = 1
                return
            kid.visits += 1
            place = kid


def added(sums: vec[float], more: vec[float]) -> vec[float]:
    """Add numbers to sums in place, and return the sums; empty sums begin with the numbers."""
    if len(sums) == 0:
        return more
    i: i64
    for i in range(len(more)):
        sums[i] += more[i]
    return sums
