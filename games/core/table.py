"""The table: the whole truth of one sitting, as small integers, in a form that search can copy and change fast.

This is the contract between rules and search, documented here once; games carry one line each.
A seat is 0 to 5, a move is an integer code of public content, a set is a bit set (`bits.py`).
"""

from __future__ import annotations

from typing import Final

from librt.vecs import vec
from mypy_extensions import i64, mypyc_attr

from games.core.dice import Dice

SPECTATOR: Final = -1
"""The viewer who sees what is public."""

SPECTATORS: Final = 64
"""The spectators as a member of a set of hearers."""

EVERYONE: Final = 127
"""Every seat and the spectators, as a set of hearers."""


AFRESH: Final = -1
"""Result of `chance_observation` if all unknowns are dealt again, and the evaluation looks as far as possible."""

FACTS: Final = 256
"""Bound of the numbers of hidden facts."""

NO_FACT: Final = -1


class Journal:
    """Events of a move with their hearers; a search passes none, so nothing is built there.

    A note is (hearers, kind, a, b, c): hearers a bit set of seats and SPECTATORS, the rest numbers that the game's own
    events give meaning to. Seats outside `hearers` do not see it.
    """

    __slots__ = ("notes",)

    def __init__(self) -> None:
        """Start empty."""
        self.notes: list[tuple[int, int, int, int, int]] = []

    def tell(self, hearers: i64, kind: i64, a: i64, b: i64, c: i64) -> None:
        """Write one note down."""
        self.notes.append((hearers, kind, a, b, c))


@mypyc_attr(acyclic=True)
class Value:
    """A part of a table that is never changed in place, so that a clone shares it: a change replaces it."""

    __slots__ = ()


# A test's table is plain Python under either kernel. Nothing in a table refers back to it, so that no clone needs the
# garbage collector.
@mypyc_attr(allow_interpreted_subclasses=True, acyclic=True)
class Table:
    """One sitting, mutable, small, made of integers, with a cheap `clone`.

    `seats` is the number of players and `ply` the number of moves made. No method checks legality or looks at a
    clock; whoever applies a move has found it legal (`Game.refuse`) and works on a clone.
    """

    __slots__ = ("ply", "seats")

    def __init__(self, seats: i64, ply: i64) -> None:
        """Take the number of seats and of moves made."""
        self.seats: i64 = seats
        self.ply: i64 = ply

    def actors(self) -> i64:
        """Return the set of seats that may move now; the empty set says that the game is over."""
        raise NotImplementedError

    def legal(self, seat: i64) -> vec[i64]:
        """Return every legal move code of a seat, each once; none for a seat that may not move."""
        raise NotImplementedError

    def candidates(self, seat: i64) -> vec[i64]:
        """Return the legal moves that a search considers: all, unless a game knows that some are as good as many.

        There is at least one if there is a legal one, and they depend on the seat's own knowledge alone.
        """
        return self.legal(seat)

    def apply(self, seat: i64, move: i64, dice: Dice, journal: Journal | None) -> None:
        """Make a legal move, draw its chance, and record its events."""
        raise NotImplementedError

    def observed_move(self, viewer: i64, seat: i64, move: i64) -> i64:
        """Return the code under which the viewer sees another seat's move once the mover has answered for it.

        A public move is seen as it is; moves that look alike to the viewer share a code. Besides the three numbers and
        `seats` it depends only on events of the move that all hear. It is the same before the move and after.
        """
        return move

    def chance_observation(self, viewer: i64, seat: i64, move: i64) -> i64:
        """Return the chance that the viewer has seen in a seat's last move, as a number from 1.

        A search uses it to separate places whose draws matter to the next decisions; 0 separates nothing, and AFRESH
        ends its walk. It depends only on the events that the viewer hears of the move and on its earlier knowledge.
        """
        return 0

    def clone(self) -> Table:
        """Return a table that shares nothing changeable with this one.

        A game makes a new table and sets each field by its name. Changing parts clone themselves, and parts that are a
        `Value` are shared.
        """
        raise NotImplementedError

    def redeal(self, seat: i64, dice: Dice) -> None:
        """Deal everything again that the seat (or SPECTATOR) cannot know, consistent with all its knowledge.

        Every deal that fits comes with the probability that a fair shuffle gives it.
        """
        raise NotImplementedError

    def forget(self) -> None:
        """Drop old parts of the past if all of it makes dealing slow; a search does so before its first deal.

        Nobody gains knowledge, and deals fit all remaining knowledge. By default a game forgets nothing.
        """

    def rewards(self) -> vec[float]:
        """Return the payoff per seat of a game that is over: 1 a win, 0 a loss, shared wins in equal parts."""
        raise NotImplementedError

    def facts(self, viewer: i64) -> vec[i64]:
        """Return the hidden facts that hold at this table, as numbers below FACTS that the game gives meaning to.

        They are possible reasons for a move's value. None of them is about the viewer's own possessions.
        """
        return vec[i64]()

    def answer_fact(self, viewer: i64, own: i64, seat: i64, move: i64) -> i64:
        """Return the hidden fact that holds if a seat makes a move at the same time as the viewer, or NO_FACT.

        `own` is the viewer's move. The table is the one before all moves of that moment.
        """
        return NO_FACT


@mypyc_attr(allow_interpreted_subclasses=True)
class Worth:
    """An estimate of a table for search; a game offers one per level."""

    __slots__ = ()

    def estimate(self, table: Table) -> vec[float]:
        """Return the expected rewards per seat, each in 0 to 1; exact where the game is over."""
        raise NotImplementedError

    def prior(self, table: Table, seat: i64) -> float:
        """Return a search's estimate for a move that it has not walked yet: one seat's reward at the table after it.

        It is computed for every move of a new place, `estimate` for one leaf; so a game may look less closely here.
        """
        return self.estimate(table)[seat]

    def terms(self, table: Table, rewards: vec[float]) -> vec[float]:
        """Return the terms that make up an estimate: those of the first party, then those of the next.

        A party is a seat or a team. The estimate, `rewards`, depends on the sum of each party's terms. An evaluation
        without terms returns none, as does one at a table that it values by a result. The game is not over.
        """
        return vec[float]()

    def slopes(self, table: Table, seat: i64, rewards: vec[float]) -> vec[float]:
        """Return the change of a seat's estimate per unit of each party's sum; `rewards` is the estimate."""
        return vec[float]()
