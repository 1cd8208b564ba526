"""The analysis of a view: the worth of each move, the reasons for the best ones, and a move that the caller asks about.

A comparison takes one part in COMPARED of the budget.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from games.core.advice import SETTLED, Advisor, Considering, Line
from games.core.game import Game, View
from games.core.levels import LEVELS
from games.search.advise import Budget, Partial, Tick, report, row_of, run_advisor, seed_of
from games.search.explain import Reasoner
from games.search.trace import MoveTrace
from games.search.tree import TreeSearch
from games.search.views import imagined_table, seat_of

EXPLAINED: Final = 3
"""Number of the best moves that have reasons."""

COMPARED: Final = 4


def analyse(
    game: Game,
    view: View,
    budget: Budget | tuple[int, int],
    seed: int,
    *,
    level: str = "tuned",
    top: int | None = None,
    tick: Tick | None = None,
) -> dict[str, Any]:
    """Return the worth of the moves of a seat's view, the best first, as far as the adviser considers them.

    Equal views, seeds and iterations give equal results. The level names the evaluation.
    """
    return Analysis(game, view, seed, level).run(Budget(*budget), top, tick)


class Analysis:
    """The analysis of one view."""

    def __init__(self, game: Game, view: View, seed: int, level: str, *, explain: bool = False) -> None:
        """Prepare a search; `explain` makes it keep a trace."""
        self.game, self.view, self.seed = game, view, seed
        self.table, self.seat = imagined_table(game, view, seed), seat_of(view)
        self.worth = game.worth(LEVELS[level].worth)
        self.advisor: Advisor = game.advisor(view, seed) or TreeSearch(self.table, self.seat, self.worth, seed)
        self.reasoner = Reasoner(game, view, self.table, self.advisor, self.worth) if explain else None
        if self.reasoner is not None:
            self.reasoner.record()
        hunches = game.hypotheses(view)
        self.beside = {"hunches": msgspec.to_builtins(hunches)} if hunches else {}

    def run(
        self, budget: Budget, top: int | None = None, tick: Tick | None = None, compare: int | None = None
    ) -> dict[str, Any]:
        """Search once, and return the result.

        With reasons asked for, the best EXPLAINED moves have `reasons`. `compare` is the code of a legal move. It is
        searched alone and comes as `compared`, with its reasons.
        """

        def answer() -> dict[str, Any]:
            advice = report(self.game, self.table, self.advisor, top)
            return {"legal_moves": len(self.table.legal(self.seat)), **advice, **self.beside}

        if compare is not None and isinstance(self.advisor, Considering):
            self.advisor.consider(compare)
        exact = self.advisor.lead() == SETTLED and (compare is None or compare in self.advisor.lines)
        run_advisor(self.advisor, budget if exact or compare is None else main_part(budget), tick, answer)
        found = answer()
        if self.reasoner is not None:
            self.reasoner.rank([row["code"] for row in found["moves"]])
            self.reasoner.look_again(seed_of("again", self.seed))
            for row in found["moves"][:EXPLAINED]:
                row["reasons"] = self.reasoner.reasons(row["code"])
        if compare is not None and exact:
            found["compared"] = self.exact_row(compare)
        elif compare is not None:
            effort = compared_part(budget, self.advisor.done)
            found["compared"] = self.compared_row(compare, effort, tick, answer)
            found["iterations"] += effort
            found["worlds"] += effort if found["worlds"] else 0
        return found

    def exact_row(self, move: int) -> dict[str, Any]:
        """Return a move whose value is exact."""
        lines = self.advisor.lines
        row = row_of(self.game, self.table, lines[move], max(1, sum(line.visits for line in lines.values())))
        return row if self.reasoner is None else {**row, "reasons": self.reasoner.reasons(move)}

    def compared_row(self, move: int, effort: int, tick: Tick | None, partial: Partial) -> dict[str, Any]:
        """Return a move that is searched alone; its share is that of the search among all moves."""
        lines = self.advisor.lines

        def alone(wanted: int) -> tuple[Line, MoveTrace | None]:
            search = TreeSearch(self.table, self.seat, self.worth, seed_of("alone", self.seed), only=wanted)
            trace = search.record() if self.reasoner is not None else None
            run_advisor(search, Budget(effort), tick and (lambda *_: tick(1, 1, partial)), partial)
            return search.lines[wanted], None if trace is None else trace.moves.get(wanted)

        line, trace = alone(move)
        row = row_of(self.game, self.table, line, max(1, line.visits))
        tried = lines[move].visits if move in lines else 0
        row["share"] = round(tried / max(1, sum(each.visits for each in lines.values())), 6)
        if self.reasoner is None:
            return row
        self.reasoner.put(move, line, trace)
        rival = self.reasoner.best_but(move)
        if rival is not None and self.advisor.lead() == SETTLED:  # values of two kinds do not compare
            self.reasoner.put(int(rival.move), *alone(int(rival.move)))
        return {**row, "reasons": self.reasoner.reasons(move)}


def main_part(budget: Budget) -> Budget:
    """Return the part of a budget that is left for all moves if another part compares one."""
    iterations, milliseconds, half_width = budget
    return Budget(iterations - iterations // COMPARED, milliseconds - milliseconds // COMPARED, half_width)


def compared_part(budget: Budget, done: int) -> int:
    """Return the iterations that compare a move after `done` others.

    A budget of both numbers together is divided in the same way, so that it repeats the result.
    """
    part = done // (COMPARED - 1)
    return max(1, min(part, budget.iterations // COMPARED) if budget.iterations else part)
