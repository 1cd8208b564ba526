"""Proofs that one move of a position is better than every other, from long searches of each move alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from games.core.advice import Advisor
from games.core.game import LEARNED, Game
from games.core.puzzles import WIDENING, Choice
from games.core.table import Table
from games.search.tree import TreeSearch


class Portion(NamedTuple):
    """A length of a search of a move alone in iterations, and the conditions under which the search goes on.

    The lead must be at least a share of the required one. Both intervals together are at most `width` times as wide as
    the difference.
    """

    iterations: int
    share: float
    width: float


PORTIONS: Final = (
    Portion(1_500, 0.8, 2.5),
    Portion(5_000, 0.9, 1.8),
    Portion(16_000, 0.95, 1.5),
    Portion(50_000, 1.0, 1.0),
)

LONG_ITERATIONS: Final = 5_000
"""Minimum length of a long search."""

REST_ITERATIONS: Final = 1_000
"""Iterations for a move that is far behind."""

MIN_LEAD: Final = 0.15
"""Minimum lead of the best move, as a part of its value."""

MIN_POINTS: Final = 0.05
"""Minimum lead of the best move, in winning chances."""

SENSIBLE_PART: Final = 0.5
"""Minimum value of a sensible move, as a part of the best value."""

MAX_SENSIBLE_MOVES: Final = 12


class Lead(NamedTuple):
    """Minimum lead of a best move: as a part of its value, and in winning chances."""

    part: float = MIN_LEAD
    points: float = MIN_POINTS

    def holds(self, best: float, second: float, share: float = 1.0) -> bool:
        """Return whether a value is ahead of another by a share of the lead."""
        return best - second >= share * max(self.part * best, self.points)


def adviser(game: Game, table: Table, seat: int, seed: int) -> Advisor:
    """Return the strongest adviser of a seat."""
    return game.advisor(game.view(table, seat), seed) or TreeSearch(table, seat, game.worth(LEARNED), seed)


def measured(game: Game, table: Table, seat: int, moves: Sequence[int], iterations: int, seed: int) -> list[Choice]:
    """Return moves with their values, the best first, each from a search of that move alone.

    Both values of a choice are the same.

    An adviser of the game's own values all moves at once.
    """
    own = game.advisor(game.view(table, seat), seed)
    found = []
    for move in moves:
        search: Advisor = own or TreeSearch(table, seat, game.worth(LEARNED), seed, only=move)
        search.run(iterations)
        line = search.lines[move]
        half = line.margin() * WIDENING
        found.append(Choice(move, (line.mean, line.mean), (half, half)))
    return sorted(found, key=lambda choice: -choice.value)


def is_proved(choices: Sequence[Choice], lead: Lead) -> bool:
    """Return whether the first move leads in both searches, with intervals that are disjoint from all others."""
    best, *others = choices
    return all(
        lead.holds(best.values[run], other.values[run])
        and best.values[run] - best.halves[run] > other.values[run] + other.halves[run]
        for other in others
        for run in (0, 1)
    )


class Proof:
    """Long searches, one for each move of a position, each as long as it takes to compare its move with the best."""

    def __init__(self, game: Game, table: Table, seat: int, seed: int, lead: Lead) -> None:
        """Start with nothing searched."""
        self.game, self.table, self.seat, self.seed, self.lead = game, table, seat, seed, lead
        self.own = game.advisor(game.view(table, seat), seed)
        self.searches: dict[int, Advisor] = {}

    def measured(self, move: int, iterations: int) -> Choice:
        """Return a move with its value after a number of iterations."""
        if move not in self.searches:
            worth = self.game.worth(LEARNED)
            self.searches[move] = self.own or TreeSearch(self.table, self.seat, worth, self.seed, only=move)
        search = self.searches[move]
        search.run(max(0, iterations - search.done))
        line = search.lines[move]
        value, half = round(line.mean, 4), round(line.margin() * WIDENING, 4)
        return Choice(move, (value, value), (half, half))

    def choice(self, move: int) -> Choice:
        """Return a move with its value so far."""
        return self.measured(move, 0)

    def duel(self, best: int, other: int) -> bool:
        """Return whether a move is proved to lead another, in searches of both that grow until they show it."""
        for iterations, share, width in PORTIONS:
            first, second = self.measured(best, iterations), self.measured(other, iterations)
            if iterations >= LONG_ITERATIONS and is_proved([first, second], self.lead):
                return True
            if not self.lead.holds(first.value, second.value, share):
                return False
            if first.halves[0] + second.halves[0] > width * (first.value - second.value):
                return False
        return False

    def beats(self, best: int, other: int) -> bool:
        """Return whether a move is proved to lead another; a short search suffices for one with half of its value."""
        pair = [self.choice(best), self.measured(other, REST_ITERATIONS)]
        if pair[1].value < SENSIBLE_PART * pair[0].value and is_proved(pair, self.lead):
            return True
        return self.duel(best, other)


def prove(
    game: Game, table: Table, seat: int, moves: Sequence[int], seeds: tuple[int, int], lead: Lead
) -> list[Choice] | None:
    """Return moves with their values in two long searches, or None if the first one is not proved to lead all others.

    The first two moves are compared first, because most proofs fail there. There are few sensible moves, or it is None.
    """
    best, second, *rest = moves
    proofs = [Proof(game, table, seat, seed, lead) for seed in seeds]
    if not all(proof.duel(best, second) for proof in proofs):
        return None
    if not all(proof.beats(best, other) for other in rest for proof in proofs):
        return None
    pairs = [[proof.choice(move) for proof in proofs] for move in moves]
    choices = [Choice(one.code, (one.value, other.value), (one.halves[0], other.halves[0])) for one, other in pairs]
    if not is_proved(choices, lead) or len(sensible(choices)) > MAX_SENSIBLE_MOVES:
        return None
    return sorted(choices, key=lambda choice: -choice.value)


def sensible(choices: Sequence[Choice]) -> list[Choice]:
    """Return the moves with at least half of the value of the first one, the best."""
    return [choice for choice in choices if choice.value >= SENSIBLE_PART * choices[0].value]
