"""Games written down as trees, small enough to be solved by eye."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from librt.vecs import append, vec
from mypy_extensions import i64

from games.core.bits import bit, has
from games.core.dice import Dice
from games.core.table import AFRESH, Journal, Table, Worth


@dataclass(frozen=True)
class End:
    """The game is over; a reward per seat."""

    rewards: tuple[float, ...]


@dataclass(frozen=True)
class Turn:
    """One seat decides; if hidden, nobody else sees what."""

    seat: int
    moves: Mapping[int, Place]
    hidden: bool = False


@dataclass(frozen=True)
class Sealed:
    """The first seats answer at the same time; answers in the order of the seats lead on."""

    answers: Mapping[tuple[int, ...], Place]


@dataclass(frozen=True)
class Draw:
    """Chance decides, each way as likely as the others; some seats, as a set, see which, and all may lie afresh."""

    ways: tuple[Place, ...]
    seen: int = 0
    afresh: bool = False


Place = End | Turn | Sealed | Draw

HIDDEN_OFFSET = 100
"""Added to the code of a hidden move."""


class Tale(Table):
    __slots__ = ("answers", "draw", "place", "way")

    def __init__(self, seats: int, place: Place, answers: tuple[int, ...] = ()) -> None:
        super().__init__(seats, 0)
        self.place = place
        self.answers = answers
        self.draw: Draw | None = None
        self.way = 0

    def actors(self) -> i64:
        match self.place:
            case Turn(seat=seat):
                return bit(seat)
            case Sealed(answers=answers):
                asked = len(next(iter(answers)))
                return sum(bit(seat) for seat in range(len(self.answers), asked))
        return 0

    def legal(self, seat: i64) -> vec[i64]:
        found = vec[i64]()
        if not has(self.actors(), seat):
            return found
        match self.place:
            case Turn(moves=moves, hidden=hidden):
                codes = [code + HIDDEN_OFFSET * hidden for code in moves]
            case Sealed(answers=answers):
                codes = sorted({answer[seat] for answer in answers})
        for code in codes:
            found = append(found, code)
        return found

    def apply(self, seat: i64, move: i64, dice: Dice, journal: Journal | None) -> None:
        """Go on to where the move leads, through what chance decides."""
        self.ply += 1
        self.draw = None
        match self.place:
            case Turn(moves=moves):
                self.place = moves[move % HIDDEN_OFFSET]
            case Sealed(answers=answers):
                self.answers = (*self.answers, int(move))
                if self.answers in answers:
                    self.place, self.answers = answers[self.answers], ()
        while isinstance(self.place, Draw):
            self.draw = self.place
            self.way = dice.below(len(self.draw.ways), 0)
            self.place = self.draw.ways[self.way]

    def observed_move(self, viewer: i64, seat: i64, move: i64) -> i64:
        return min(HIDDEN_OFFSET, move)

    def chance_observation(self, viewer: i64, seat: i64, move: i64) -> i64:
        """Return the result of the last move's chance, if the viewer sees it."""
        if self.draw is None:
            return 0
        if self.draw.afresh:
            return AFRESH
        return self.way + 1 if has(self.draw.seen, viewer) else 0

    def clone(self) -> Table:
        """Return a copy; the draw of the last move is revealed at once, or never."""
        return Tale(self.seats, self.place, self.answers)

    def redeal(self, seat: i64, dice: Dice) -> None:
        """Nothing lies hidden at the beginning of a tale."""

    def rewards(self) -> vec[float]:
        found = vec[float]()
        for reward in self.place.rewards if isinstance(self.place, End) else ():
            found = append(found, reward)
        return found


class Blank(Worth):
    """Knows nothing before the end."""

    def estimate(self, table: Table) -> vec[float]:
        if not table.actors():
            return table.rewards()
        found = vec[float]()
        for _ in range(table.seats):
            found = append(found, 1 / table.seats)
        return found
