"""Records the decisions of simulated games as rows of a dataset."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec
import numpy as np
from dorfplatz_games.learners import learner

from bench.datasets.plan import DatasetPlan
from games.core.advice import SETTLED, Advisor, Line
from games.core.game import LEARNED
from games.core.table import Table
from games.search.advise import Budget, Tick, decide, run_advisor, seed_of
from games.search.tree import TreeSearch
from service.jobs.players import Player, RemoteBot
from workers.simulate.batch import Decision, SimulationWork
from workers.simulate.tally import GameResult

Row = dict[str, Any]

OWN_SEARCH: Final = -1
"""Number of iterations that stands for the search of the bot itself."""


class Recorder(SimulationWork):
    """Plays the games of a plan and keeps a row for each action.

    A row is complete before the move is made. A decision that never becomes a move leaves no row.
    """

    def __init__(self, plan: DatasetPlan) -> None:
        """Take the plan."""
        super().__init__(plan)
        self._plan = plan
        self._learner = learner(plan.game.slug, len(plan.bots))
        self._made: list[Row] = []
        self._decided: dict[int, list[Row]] = {}

    def record(self, number: int) -> tuple[GameResult, list[Row]]:
        """Play a game, and return its result and its rows in the order of the moves."""
        self._made, self._decided = [], {}
        result = self.play(number)
        outcome = {
            "rewards": result.rewards,
            "scores": result.points,
            "ranks": ranks(result.rewards, result.points),
        }
        return result, [row | outcome for row in self._made]

    def choose(self, bot: Player, decision: Decision, seed: int, look_up: Tick) -> int:
        """Return the code of a bot's move, and keep its rows until the move is made."""
        if isinstance(bot, RemoteBot):
            raise TypeError("a dataset has no bots at URLs")
        table, seat = decision.table, decision.seat
        code, advisor = decide(self._plan.game, table, seat, bot, seed, look_up)
        if self._plan.search_iterations != OWN_SEARCH:
            advisor = self._valued(table, seat, seed)
        kept = {"game": decision.game, "bot": bot.name}
        self._decided[seat] = [kept | row for row in self.rows(table, seat, code, advisor)]
        return code

    def note_move(self, seat: int) -> None:
        """Keep the rows of a seat's last decision."""
        self._made += self._decided.pop(seat)

    def _valued(self, table: Table, seat: int, seed: int) -> Advisor | None:
        """Search a decision among several moves for the plan's number of iterations, as the strongest adviser."""
        game, iterations = self._plan.game, self._plan.search_iterations
        if not iterations or len(table.legal(seat)) == 1:
            return None
        other = seed_of("values", seed)
        advisor: Advisor = game.advisor(game.view(table, seat), other) or TreeSearch(
            table, seat, game.worth(LEARNED), other
        )
        run_advisor(advisor, Budget(iterations), None)
        return advisor

    def rows(self, table: Table, seat: int, code: int, advisor: Advisor | None) -> Iterator[Row]:
        """Yield the row of each action of a move; everything in it is the seat's knowledge or its bot's thought."""
        game, learner = self._plan.game, self._learner
        view = game.view(table, seat)
        common = {
            "ply": view.ply,  # that of the table counts other seats' sealed moves
            "seat": seat,
            "legal_moves": len(table.legal(seat)),
            "code": code,
            "move": msgspec.json.encode(game.decode(table, code)).decode(),
            "iterations": None if advisor is None else int(advisor.done),
            "values": None if advisor is None else seat_values(advisor, seat, table.seats),
        }
        if self._plan.views:
            common["view"] = msgspec.json.encode(view).decode()
        actions = learner.actions.path(table, code)
        if not actions:
            raise ValueError(f"no action of the learners makes the move {common['move']}")
        paths: dict[int, tuple[int, ...]] = {}
        for step, action in enumerate(actions):
            begun = actions[:step]
            choices = learner.choices(table, seat, begun)
            if action not in choices:
                raise ValueError(f"the learners' mask forbids the move {common['move']}")
            if advisor is not None and not step:
                paths = self._paths(table, advisor, choices)
            seen = learner.layout.observe(table, seat, begun)
            yield {
                **common,
                "step": step,
                "observation": np.packbits(seen, bitorder="little").tobytes(),
                "legal": sorted(choices),
                "action": action,
                **(action_values(advisor, paths, begun) if advisor is not None else UNVALUED),
            }

    def _paths(self, table: Table, advisor: Advisor, choices: dict[int, int]) -> dict[int, tuple[int, ...]]:
        # Most moves are one action of the mask; to compute the number of an action takes much longer.
        single = {code: (action,) for action, code in choices.items()}
        path = self._learner.actions.path
        return {code: single.get(code) or path(table, code) for code in advisor.lines}


UNVALUED: Final[Row] = {"searched": None, "visits": None, "means": None}


def seat_values(advisor: Advisor, seat: int, seats: int) -> list[float | None]:
    """Return the mean reward of each seat in a search; an adviser of a game's own values the seat itself alone."""
    if isinstance(advisor, TreeSearch):
        return list(advisor.values())
    return [advisor.lines[advisor.best()].mean if other == seat else None for other in range(seats)]


def action_values(advisor: Advisor, paths: Mapping[int, tuple[int, ...]], begun: Sequence[int]) -> Row:
    """Return the values of the next actions: sums of visits, and means over the moves that go on with the action.

    A mean is weighted by visits. Advice that samples nothing has no visits, and an action is as good as its best move.
    """
    step, groups = len(begun), dict[int, list[Line]]()
    for code, path in paths.items():
        if path[:step] == tuple(begun) and len(path) > step:
            groups.setdefault(path[step], []).append(advisor.lines[code])
    searched = sorted(groups)
    if advisor.lead() == SETTLED:
        means = [max(line.mean for line in groups[action]) for action in searched]
        return {"searched": searched, "visits": None, "means": means}
    visits = [sum(line.visits for line in groups[action]) for action in searched]
    return {"searched": searched, "visits": visits, "means": [mean_of(groups[action]) for action in searched]}


def mean_of(lines: Sequence[Line]) -> float:
    """Return the mean of several moves by their visits; of moves without a visit, the mean of the estimates."""
    weights = [line.visits for line in lines] if any(line.visits for line in lines) else [1] * len(lines)
    return sum(weight * line.mean for weight, line in zip(weights, lines, strict=True)) / sum(weights)


def ranks(rewards: Sequence[float], points: Sequence[int] | None) -> list[int]:
    """Return each seat's rank from 1, by its share of the win and then by its points; equal results share a rank."""
    results = list(zip(rewards, points or [0] * len(rewards), strict=True))
    return [1 + sum(other > result for other in results) for result in results]
