"""Reasons from the trace of a search: gains, risks and the continuation of a move.

* A gain is the part of a difference between two moves that a group of terms carries: the difference of its mean at the
  leaves, times the mean slope of the evaluation there. Named gains add up to 60 % of the difference, so that
  half of it remains if the leaves are valued again without them.
* A risk is a hidden fact that lowers the value of a move (`games.search.risks`).
* A line is the most visited continuation. A world is drawn in which it can be played, so its moves are legal there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from heapq import nsmallest
from typing import Any, Final

import msgspec

from games.core.advice import Advisor, Line
from games.core.game import Game, View
from games.core.reasons import (
    MIN_DIFFERENCE,
    OUTCOME,
    Findings,
    FindReasons,
    Gain,
    Names,
    Reply,
    Voice,
    named,
    reasons_row,
    voices_of,
)
from games.core.table import Table, Worth
from games.core.texts import LANGUAGES
from games.search.risks import Answers, risks_of
from games.search.trace import SEATS, SKIPPED, MoveTrace, Step
from games.search.tree import TreeSearch
from games.search.views import rank_of, seat_of
from games.search.worlds import world_dice

MIN_VISITS: Final = 24
"""Minimum number of iterations behind each of two moves whose difference has reasons."""

SECOND_PARTS: Final = 40
"""The second-best move is searched alone if fewer than one iteration in SECOND_PARTS was for it."""

ROUNDING: Final = 1e-9
"""Maximum error of a sum of rewards."""

MIN_FOLLOWED: Final = 8
MIN_FREQUENCY: Final = 0.1
"""Minimum number of visits of a move in a line, and minimum frequency."""

TRIED_WORLDS: Final = 8
"""Number of further worlds that are tried for a line."""


# Gains.


def gains_of(
    game: Game, table: Table, seat: int, worth: Worth, own: MoveTrace, other: MoveTrace, difference: float
) -> list[Gain]:
    """Return the gains that carry a difference between two moves, the greatest first; none if no few of them do."""
    if min(own.visits, other.visits) < MIN_VISITS or abs(difference) < MIN_DIFFERENCE:
        return []
    return named(parts_of(game, table, seat, worth, own, other), difference)


def parts_of(game: Game, table: Table, seat: int, worth: Worth, own: MoveTrace, other: MoveTrace) -> list[Gain]:
    """Return the parts of a difference by group and party, and that of games which end."""
    running = own.running, other.running
    means = [trace.value / number if number else None for trace, number in zip((own, other), running, strict=True)]
    first, second = (next((mean for mean in (each, *means) if mean is not None), 0.0) for each in means)
    ended = (own.total / own.weight - first) - (other.total / other.weight - second)
    found = [Gain(OUTCOME, [seat], None, ended > 0, ended)] if abs(ended) > ROUNDING else []
    if not (all(running) and len(own.terms)):
        return found
    deltas = [one / running[0] - two / running[1] for one, two in zip(own.terms, other.terms, strict=True)]
    slopes = [(one / running[0] + two / running[1]) / 2 for one, two in zip(own.slopes, other.slopes, strict=True)]
    units, parties = game.units(table, worth), game.teams(table.seats)
    size = len(deltas) // len(parties)
    for number, (seats, slope) in enumerate(zip(parties, slopes, strict=True)):
        mine = deltas[number * size : (number + 1) * size]
        for group in game.groups:
            sum_ = mine[group.terms[0]] if len(group.terms) == 1 else sum(mine[term] for term in group.terms)
            amount = None if group.amount is None else mine[group.amount] * (units[group.amount] or 0.0) or None
            found.append(Gain(group.code, [*seats], amount, sum_ > 0, slope * sum_, group.percent))
    return found


# Lines.


def line_of(
    game: Game, view: View, table: Table, move: int, trace: MoveTrace, names: Names | None = None
) -> list[Reply]:
    """Return a move and its most visited continuation, as far as a world can be drawn in which it is played.

    The last world in which the search has met the continuation comes first; other draws of chance may end it there.
    """
    seat = seat_of(view)
    chain, last = followed(trace.start)
    chain = [(seat, move, 1.0), *chain]
    best = list[Table]()
    for world in (last, *range(TRIED_WORLDS)):
        played = play(table, seat, chain, int(trace.seed), world)
        best = max(best, played, key=len)
        if len(best) == len(chain):
            break
    views = [view, *(game.view(place, mover) for place, (mover, _, _) in zip(best[1:], chain[1:], strict=False))]
    met = zip(best, views, chain, strict=False)
    return [reply(game, place, seen, made, part, names) for place, seen, (_, made, part) in met]


def followed(step: Step) -> tuple[list[tuple[int, int, float]], int]:
    """Return the most visited continuation as (seat, move, frequency), and the last world that it was met in."""
    found = list[tuple[int, int, float]]()
    while step.kids:
        visits = sum(int(kid.visits) for kid in step.kids.values())
        key, kid = max(step.kids.items(), key=lambda item: (item[1].visits, -item[0]))
        if int(kid.visits) < max(MIN_FOLLOWED, MIN_FREQUENCY * visits):
            break
        found.append((int(key) % SEATS, int(key) // SEATS, int(kid.visits) / visits))
        step = kid
    return found, int(step.world)


def play(table: Table, seat: int, chain: Sequence[tuple[int, int, float]], seed: int, world: int) -> list[Table]:
    """Play a continuation in a world of a search, and return the table before each move that is legal there."""
    dice = world_dice(seed, world)
    place = table.clone()
    place.forget()
    place.redeal(seat, dice)
    found = list[Table]()
    for mover, move, _ in chain:
        if move not in list(place.legal(mover)):
            break
        found.append(place.clone())
        place.apply(mover, move, dice, None)
    return found


def reply(game: Game, place: Table, view: View, move: int, frequency: float, names: Names | None = None) -> Reply:
    """Return a move of a continuation with its labels; `view` is its seat's before the move."""
    made = game.decode(place, move)
    labels: Mapping[str, str] = {
        language: game.label(made, language, view, names[language] if names else None) for language in LANGUAGES
    }
    return Reply(seat_of(view), move, msgspec.to_builtins(made), dict(labels), frequency)


# Advice with reasons.


class Reasoner:
    """Finds the reasons for the moves of one adviser."""

    def __init__(
        self, game: Game, view: View, table: Table, advisor: Advisor, worth: Worth, names: Names | None = None
    ) -> None:
        """Take an adviser; `names` are those of the seats in each language."""
        self.game, self.view, self.table, self.advisor, self.names = game, view, table, advisor, names
        self.worth = worth
        self.seat = seat_of(view)
        self.traces: dict[int, MoveTrace] = {}
        self.apart: dict[int, Line] = {}
        self.find: FindReasons | None = getattr(advisor, "findings", None)

    def record(self) -> None:
        """Make the adviser keep a trace from its first iteration on."""
        if isinstance(self.advisor, TreeSearch):
            self.traces = self.advisor.record().moves

    def line(self, code: int) -> Line:
        """Return the statistics of a move, those of a search of it alone if there is one."""
        return self.apart.get(code) or self.advisor.lines[code]

    @cached_property
    def answers(self) -> Answers | None:
        """Return the others' answers in the adviser's search of all moves; a search of one move alone distorts them."""
        return Answers(self.advisor) if isinstance(self.advisor, TreeSearch) else None

    @cached_property
    def voices(self) -> list[Voice]:
        """Return the voices of the reasons."""
        return voices_of(self.game, self.view, self.names)

    @cached_property
    def leaders(self) -> list[Line]:
        """Return the two best lines of the adviser, which has done its work."""
        return nsmallest(2, self.advisor.lines.values(), key=rank_of)

    def rank(self, codes: Sequence[int]) -> None:
        """Take the order of the moves, the best first, if it is known."""
        if len(codes) > 1:
            self.leaders = [self.advisor.lines[code] for code in codes[:2]]

    def best_but(self, code: int) -> Line | None:
        """Return the best line of the adviser besides a move's."""
        return next((line for line in self.leaders if line.move != code), None)

    def look_again(self, seed: int) -> None:
        """Search the second-best move alone if there were few iterations for it."""
        if not isinstance(self.advisor, TreeSearch) or len(self.leaders) < 2:
            return
        effort, second = max(MIN_VISITS + SKIPPED, int(self.advisor.done) // SECOND_PARTS), self.leaders[1]
        if second.visits < effort:
            self.search_alone(int(second.move), effort, seed)

    def search_alone(self, code: int, iterations: int, seed: int) -> None:
        """Search one move alone, and use the result in place of the adviser's."""
        search = TreeSearch(self.table, self.seat, self.worth, seed, only=code)
        trace = search.record()
        search.run(iterations)
        self.put(code, search.lines[code], trace.moves.get(code))

    def put(self, code: int, line: Line, trace: MoveTrace | None) -> None:
        """Take the result of a search of one move alone."""
        self.apart[code] = line
        if trace is not None:
            self.traces[code] = trace

    def reasons(self, code: int) -> dict[str, Any]:
        """Return the reasons for a move, compared with the best other one."""
        other = self.best_but(code)
        against = None if other is None else int(other.move)
        found = self.findings(code, against)
        return reasons_row(self.voices, self.line(code), None if against is None else self.line(against), found)

    def findings(self, code: int, against: int | None) -> Findings:
        """Return the reasons for a move, compared with another. Its line has at least the move itself."""
        if code in self.traces:
            found = self._traced(code, against)
        elif self.find is not None:
            found = self.find(code, against)
        else:
            found = Findings()
        if found.line:
            return found
        line = [reply(self.game, self.table, self.view, code, 1.0, self.names)]
        return Findings(found.gains, found.risks, line)

    def _traced(self, code: int, against: int | None) -> Findings:
        own, gains = self.traces[code], list[Gain]()
        if against is not None and against in self.traces:
            difference = self.line(code).mean - self.line(against).mean
            gains = gains_of(self.game, self.table, self.seat, self.worth, own, self.traces[against], difference)
        line = line_of(self.game, self.view, self.table, code, own, self.names)
        return Findings(gains, risks_of(self.game, self.table, own, code, self.answers), line)
