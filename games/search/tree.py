"""Information-set tree search for any game: several seats, teams, chance, hidden and sealed moves.

One tree holds the knowledge of the seats. A place in it is an information set: a history of moves as some seat saw them
(`Table.observed_move`). So seats with the same knowledge share a place, and a hidden move leaves all other seats
together. Each place belongs to the one seat that decides there. Seats that answer at the same time answer from the same
place, one after the other. They learn each other's answers once all are in. A game may separate places by draws of
chance (`Table.chance_observation`); a move's value is its mean over all of them.

Every iteration deals the observer's unknowns again and walks down by upper confidence bounds with availability counts.
It stops at the first move that was never walked before. New moves start with a few virtual visits at the value that the
evaluation gives one ply ahead, and the evaluation also values the leaf. Each seat maximises its own reward; mates have
equal rewards and so work together.

In such a tree the other seats decide by the moves that they have seen. Their hands do not matter, because each world
has new ones. With a `model` they decide by their hands. Then the tree is the observer's, and every other seat
makes the move that looks best one ply ahead.
"""

from __future__ import annotations

from typing import Final

from librt.vecs import append, vec
from mypy_extensions import i64

from games.core.bits import bit, first, has, rest
from games.core.dice import CHOICE, Dice
from games.core.playout import playout
from games.core.table import AFRESH, Table, Worth
from games.search.line import RootStats
from games.search.node import NOBODY, Node
from games.search.pick import greedy_move
from games.search.trace import Trace
from games.search.worlds import Worlds, world_dice

SEEDED: Final = 4
"""The virtual visits a new move starts with, at the value that the evaluation gives one ply ahead."""

EXPLORATION: Final = 0.6
"""The exploration constant: the weight of doubt about a move, in units of the spread of the values behind it."""

PRIOR: Final = 4.0
"""Number of leaves for which the initial spread counts."""

NODE_LIMIT: Final = 2_000_000
"""Maximum number of moves in a tree, some 290 MB; a full one is sampled on and grows no more."""

NOISES: Final = 65537
"""A prime; the noise on the doubts about moves runs through the numbers below it."""

LUCK: Final = -16
"""The key LUCK - n leads from a place to where chance has shown n, from 1."""


class Walk:
    """One world on its way down the tree: its table, where each seat stands, and the moves walked."""

    __slots__ = ("dice", "fresh", "movers", "path", "places", "seeded", "table", "trace")

    def __init__(self, table: Table, dice: Dice, top: Node, seeded: i64, trace: Trace | None = None) -> None:
        """Start every seat at the top; `seeded` visits are none. A `trace` records the moves."""
        self.table = table
        self.trace = trace
        self.dice = dice
        self.seeded: i64 = seeded
        self.places: list[Node] = []
        for _ in range(table.seats):
            self.places.append(top)
        self.path: list[Node] = []
        self.movers = vec[i64](capacity=16)
        self.fresh = False

    def known(self) -> bool:
        """Return whether the seat that decides next has done so here before."""
        return len(self.places[first(self.table.actors())].kids) > 0

    def go(self, seat: i64, kid: Node) -> None:
        """Make a seat's move."""
        self.fresh = self.fresh or kid.visits == self.seeded
        self.path.append(kid)
        self.movers = append(self.movers, seat)
        self.places[seat] = kid
        self.apply(seat, kid.move)

    def apply(self, seat: i64, move: i64) -> None:
        """Make a move at the table and record it."""
        trace = self.trace
        if trace is not None:
            trace.step(seat, move)
        self.table.apply(seat, move, self.dice, None)

    def show(self, seat: i64, origin: Node, kid: Node) -> None:
        """Lead every other seat to where the move, as it sees it, leads."""
        viewer: i64
        for viewer in range(self.table.seats):
            if viewer != seat:
                place = self.places[viewer]
                key: i64 = self.table.observed_move(viewer, seat, kid.move)
                if place is origin and key == kid.move:
                    self.places[viewer] = kid
                else:
                    self.places[viewer] = place.step(key)

    def learn(self, seat: i64, move: i64) -> None:
        """Move every seat on by the chance that it has seen in the last move; the walk ends if all is dealt again."""
        viewer: i64
        for viewer in range(self.table.seats):
            self.draw(viewer, seat, move)

    def draw(self, viewer: i64, seat: i64, move: i64) -> None:
        """Move a seat on by the chance that it has seen in the last move."""
        shown: i64 = self.table.chance_observation(viewer, seat, move)
        if shown == AFRESH:
            self.fresh = True
        elif shown > 0:
            self.places[viewer] = self.places[viewer].step(LUCK - shown)

    def see(self, viewer: i64, seat: i64, move: i64) -> None:
        """Lead a seat on by another's move as it sees it."""
        if viewer != seat:
            self.places[viewer] = self.places[viewer].step(self.table.observed_move(viewer, seat, move))

    def record(self, rewards: vec[float]) -> None:
        """Add the leaf's value to every move walked, each as its own seat sees it."""
        i: i64
        for i in range(len(self.path)):
            self.path[i].add(rewards[self.movers[i]])

    def first_move(self, seat: i64) -> i64:
        """Return the first move a seat made, or NOBODY where it made none."""
        i: i64
        for i in range(len(self.path)):
            if self.movers[i] == seat:
                return self.path[i].move
        return NOBODY


class TreeSearch:
    """A search that is run in slices; the same seed gives the same tree however the iterations are cut."""

    __slots__ = (
        "depth",
        "done",
        "exploration",
        "lines",
        "mean",
        "model",
        "observer",
        "only",
        "room",
        "root",
        "seed",
        "seeded",
        "spread",
        "top",
        "totals",
        "trace",
        "worlds",
        "worth",
    )

    def __init__(
        self,
        root: Table,
        observer: i64,
        worth: Worth,
        seed: i64,
        exploration: float = EXPLORATION,
        depth: i64 = 0,
        only: i64 = NOBODY,
    ) -> None:
        """Take a table that fits the observer's view, and a seed below `worlds.SEEDS`.

        `exploration` is the exploration constant; `depth` plies of random play precede the evaluation of a leaf. `only`
        is a legal move that the observer makes at the root in every world, to learn its worth. Set four attributes
        before the first iteration. `seeded` is the number of virtual visits of a new move (with none, it is tried
        before any other is tried again). `model` is the evaluation by which others look one ply ahead; the others are
        `room` and `worlds`. `record` makes it keep a trace. An observer who may not move raises ValueError.
        """
        if not has(root.actors(), observer):
            raise ValueError("the observer may not move")
        self.root = root.clone()
        self.root.forget()
        self.observer: i64 = observer
        self.worth = worth
        self.seed: i64 = seed
        self.exploration: float = exploration
        self.depth: i64 = depth
        self.only: i64 = only
        self.seeded: i64 = SEEDED
        self.worlds = Worlds()
        self.model: Worth | None = None
        self.trace: Trace | None = None
        self.done: i64 = 0
        self.mean: float = 0.0
        self.spread: float = 0.0
        self.totals = vec[float]([0.0] * root.seats)
        self.room: i64 = NODE_LIMIT
        self.top = Node(NOBODY)
        self.lines: dict[int, RootStats] = {}
        dice = world_dice(seed, 0)
        table = self.root.clone()
        table.redeal(observer, dice)
        moves = self.offered(table, observer, self.top)
        i: i64
        for i in range(len(moves)):
            self.lines[moves[i]] = RootStats(moves[i], self.one_ply_value(table, observer, moves[i], dice))

    def record(self) -> Trace:
        """Record a trace from the next iteration on, and return it."""
        found = Trace(self.root, self.observer, self.worth, self.seed, self.done)
        self.trace = found
        return found

    def run(self, iterations: i64) -> None:
        """Run a number of further iterations."""
        for _ in range(iterations):
            self.iterate()

    def iterate(self) -> None:
        """Walk one world from the root to a leaf, and record the leaf's value on the way back."""
        dice = world_dice(self.seed, self.done)
        self.done += 1
        table = self.root.clone()
        self.worlds.deal(table, self.observer, dice)
        trace = self.trace
        if trace is not None:
            trace.open(table)
        walk = Walk(table, dice, self.top, self.seeded, trace)
        model = self.model
        while not walk.fresh and table.actors() != 0 and (self.room > 0 or walk.known()):
            if model is None:
                self.ask(walk)
            else:
                self.foresee(walk, model)
        if self.depth > 0:
            playout(table, dice, self.depth)
        rewards = self.worth.estimate(table)
        walk.record(rewards)
        self.note(rewards)
        move = walk.first_move(self.observer)
        line = self.lines.get(move)
        if line is not None:
            line.add(rewards[self.observer], self.variance())
            if trace is not None:
                trace.close(table, move, rewards)

    def note(self, rewards: vec[float]) -> None:
        """Take a leaf's value into the mean and spread of all leaves, and into the totals of all seats."""
        seat: i64
        for seat in range(len(rewards)):
            self.totals[seat] += rewards[seat]
        value: float = rewards[self.observer]
        change: float = value - self.mean
        self.mean += change / float(self.done)
        self.spread += change * (value - self.mean)

    def values(self) -> list[float]:
        """Return the mean reward of each seat over all leaves; there is at least one."""
        return [total / float(self.done) for total in self.totals]

    def variance(self) -> float:
        """Return the variance of leaves so far; before any is seen, that of wins and losses."""
        return (self.spread + 0.25 * PRIOR) / (float(self.done) + PRIOR)

    def ask(self, walk: Walk) -> None:
        """Let all seats decide that have to, none seeing another's answer, then show every seat its part."""
        origins: list[Node] = []
        answers: list[Node] = []
        awaited: i64 = walk.table.actors()
        before: i64 = len(walk.path)
        while awaited != 0 and walk.table.actors() == awaited:
            seat: i64 = self.next_asked(walk, awaited)
            origin = walk.places[seat].of(seat)
            kid = self.pick(origin, seat, walk)
            origins.append(origin)
            answers.append(kid)
            walk.go(seat, kid)
            awaited &= ~bit(seat)
        seat = NOBODY
        i: i64
        for i in range(len(answers)):
            seat = walk.movers[before + i]
            walk.show(seat, origins[i], answers[i])
        walk.learn(seat, answers[len(answers) - 1].move)

    def foresee(self, walk: Walk, model: Worth) -> None:
        """Let all seats decide that have to, the others by a model, then show the observer its part.

        Seats that answer at the same time as others look ahead from before any of their answers.
        """
        moves = vec[i64](capacity=6)
        movers = vec[i64](capacity=6)
        awaited: i64 = walk.table.actors()
        asked = walk.table
        if rest(awaited):
            asked = walk.table.clone()
        seat: i64
        while awaited != 0 and walk.table.actors() == awaited:
            seat = self.next_asked(walk, awaited)
            if seat == self.observer:
                kid = self.pick(walk.places[seat].of(seat), seat, walk)
                walk.go(seat, kid)
                moves = append(moves, kid.move)
            else:
                move: i64 = foreseen(asked, seat, model, walk.dice)
                walk.apply(seat, move)
                moves = append(moves, move)
            movers = append(movers, seat)
            awaited &= ~bit(seat)
        i: i64
        for i in range(len(moves)):
            walk.see(self.observer, movers[i], moves[i])
        last: i64 = len(moves) - 1
        walk.draw(self.observer, movers[last], moves[last])

    def next_asked(self, walk: Walk, awaited: i64) -> i64:
        """Return the seat that answers next: in the order of the seats, but first the seat that has `only` a move.

        Another's answer may end the moment before its own is due, and nothing would be learned of it.
        """
        if self.only != NOBODY and walk.places[self.observer] is self.top and has(awaited, self.observer):
            return self.observer
        return first(awaited)

    def pick(self, place: Node, seat: i64, walk: Walk) -> Node:
        """Return the move with the highest upper confidence bound; a move met for the first time gets its record.

        The exploration term is multiplied by a random number of 0 to 2. Without that, seats that decide unseen by each
        other fall into step and go round in circles instead of mixing their moves.
        """
        moves = self.offered(walk.table, seat, walk.places[seat])
        best = place
        top: float = -1.0
        noise: i64 = walk.dice.below(NOISES, CHOICE)
        virtual: float = float(self.seeded) * self.variance()
        i: i64
        for i in range(len(moves)):
            noise = (noise * 75 + 74) % NOISES
            kid = place.step(moves[i])
            if kid.offers == 0:
                self.room -= 1
                if self.seeded > 0:
                    kid.start(self.one_ply_value(walk.table, seat, moves[i], walk.dice), self.seeded)
            kid.offers += 1
            bound: float = kid.bound(self.exploration * 2.0 * float(noise) / float(NOISES), virtual)
            if bound > top:
                top = bound
                best = kid
        return best

    def offered(self, table: Table, seat: i64, place: Node) -> vec[i64]:
        """Return the moves that a seat may choose at a place: `only` that one for the observer at the root."""
        if self.only != NOBODY and seat == self.observer and place is self.top:
            moves = vec[i64](capacity=1)
            return append(moves, self.only)
        return table.candidates(seat)

    def one_ply_value(self, table: Table, seat: i64, move: i64, dice: Dice) -> float:
        """Return the worth of a seat's move to it one ply ahead."""
        after = table.clone()
        after.apply(seat, move, dice, None)
        return self.worth.prior(after, seat)

    def best(self) -> i64:
        """Return the observer's move with the most visits; of several the one with the higher mean, then the first."""
        found: i64 = NOBODY
        visits: i64 = -1
        mean: float = 0.0
        for line in self.lines.values():
            if line.visits > visits or (line.visits == visits and line.mean > mean):
                found = line.move
                visits = line.visits
                mean = line.mean
        return found

    def lead(self) -> i64:
        """Return the lead of the most visited move over the next, in visits."""
        most: i64 = 0
        second: i64 = 0
        for line in self.lines.values():
            if line.visits > most:
                second = most
                most = line.visits
            elif line.visits > second:
                second = line.visits
        return most - second


def foreseen(table: Table, seat: i64, model: Worth, dice: Dice) -> i64:
    """Return the move of a seat that looks one ply ahead in a world that fits its view."""
    moves = table.candidates(seat)
    if len(moves) == 1:
        return moves[0]
    return greedy_move(table, seat, model, 1, dice.below(NOISES, CHOICE))
