"""Reviews of finished sessions. Each rating uses only what the seat knew when it decided.

A rating depends only on the view, the move, the search limits and the seed.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from math import hypot
from typing import Any, Final, NamedTuple, cast

import msgspec

from games.core.advice import SETTLED, Advisor, Line
from games.core.game import Game, View
from games.core.registry import registered
from games.core.table import Table
from games.core.texts import LANGUAGES
from games.search.advise import Budget, Tick, run_advisor, seed_of
from games.search.explain import Reasoner
from games.search.tree import TreeSearch
from games.search.views import imagined_table, seat_of
from service.jobs import queues
from service.jobs.aggregate import Aggregate
from service.jobs.leases import Lease
from service.jobs.review import BLUNDER, MISTAKE, VERDICTS, accuracy_of, verdict_on

YARDSTICK: Final = "tuned"
"""Name of the evaluation that the search uses. Hints use the same one."""

REVIEW_DIGITS: Final = 6
"""Number of decimal places of values and means."""


class DecisionInput(msgspec.Struct, frozen=True):
    """A decision of a session as the web server has stored it."""

    line: int  # index in the session's history
    code: int  # the move's code
    view: msgspec.Raw  # the seat's view at that time


class Comparison(NamedTuple):
    """The search results of the played move and of `rival`, the best other move.

    `rival` is None if the search found no other move.
    """

    played: Line
    rival: Line | None
    reasoner: Reasoner

    @property
    def lost(self) -> float:
        """The value of the best other move minus the value of the played move. It is 0 if there is no other move."""
        return 0.0 if self.rival is None else self.rival.mean - self.played.mean

    @property
    def margin(self) -> float:
        """The half-width of the 95 % confidence interval of `lost`."""
        # The errors of the two values are independent, so their squares are added.
        return 0.0 if self.rival is None else hypot(self.rival.margin(), self.played.margin())


class SeatCount(msgspec.Struct):
    """Counts and sums over the rated decisions of one seat."""

    decisions: int = 0
    accuracy: float = 0.0
    regret: float = 0.0
    mistakes: int = 0
    blunders: int = 0


class ReviewTally(msgspec.Struct, Aggregate):
    """The rated decisions of a session in their order, and the totals of each seat."""

    head: dict[str, Any]
    skipped: list[dict[str, int]]
    seats: list[SeatCount]
    decisions: list[dict[str, Any]]

    def add(self, line: bytes) -> None:
        """Add one rated decision. `line` is its encoded result."""
        row = json.loads(line)
        seat = self.seats[row["seat"]]
        seat.decisions += 1
        seat.accuracy += accuracy_of(row["regret"])
        seat.regret += row["regret"]
        seat.mistakes += row["verdict"] == "mistake"
        seat.blunders += row["verdict"] == "blunder"
        self.decisions.append(row)

    def summary(self) -> dict[str, Any]:
        """Return the review so far as plain JSON. If no decision of a seat is rated, the seat's means are null."""

        def mean(total: float, count: int) -> float | None:
            return round(total / count, REVIEW_DIGITS) if count else None

        seats = [
            {
                "seat": number,
                "decisions": seat.decisions,
                **self.skipped[number],
                "accuracy": mean(seat.accuracy, seat.decisions),
                "mean_regret": mean(seat.regret, seat.decisions),
                "mistakes": seat.mistakes,
                "blunders": seat.blunders,
            }
            for number, seat in enumerate(self.seats)
        ]
        thresholds = {"mistake": MISTAKE, "blunder": BLUNDER}
        return {"kind": "review", **self.head, "thresholds": thresholds, "seats": seats, "decisions": self.decisions}


class Review:
    """Rates the decisions of a session."""

    def __init__(self, lease: Lease) -> None:
        self._payload = lease.payload
        self._first = lease.first
        found: Any = []
        if lease.first < lease.end:
            found = lease.connection.lrange(queues.inputs_key(lease.job), lease.first, lease.end - 1)
        self._inputs = [zlib.decompress(entry) for entry in cast("list[bytes]", found)]

    def do(self, item: int, tick: Tick) -> bytes:
        """Rate one decision and return the encoded result."""
        return msgspec.json.encode(rate_entered(self._payload, self._inputs[item - self._first], tick))

    def aggregate(self) -> ReviewTally:
        """Return a new `ReviewTally` for this review. The `ReviewTally` contains no decisions yet."""
        skipped = self._payload["skipped"]
        head = {name: self._payload[name] for name in ("session", "seed", "iterations")}
        return ReviewTally(head, skipped, [SeatCount() for _ in skipped], [])


def rate_entered(payload: Mapping[str, Any], entered: bytes, tick: Tick | None = None) -> dict[str, Any]:
    """Rate a stored decision, and return its entry for the review.

    The entry contains the played move and the best move. Both have labels in all languages.
    """
    game = registered()[payload["game"]]
    decision = msgspec.json.decode(entered, type=DecisionInput)
    view: View = msgspec.json.decode(decision.view, type=game.view_type)
    seed = seed_of("review", payload["seed"], bytes(decision.view).decode())
    table, seat = imagined_table(game, view, seed), seat_of(view)
    compared = compare(game, table, view, decision.code, payload["iterations"], seed, tick)
    regret = round(max(0.0, compared.lost), REVIEW_DIGITS)
    ends = [min(1.0, max(0.0, compared.lost + side * compared.margin)) for side in (-1, 1)]

    def row(line: Line) -> dict[str, Any]:
        move, margin = game.decode(table, line.move), line.margin()
        return {
            "code": int(line.move),
            "move": msgspec.to_builtins(move),
            "labels": {name: game.label(move, name, view, payload["names"][name]) for name in LANGUAGES},
            "visits": int(line.visits),
            "value": round(line.mean, REVIEW_DIGITS),
            "interval": [
                round(max(0.0, line.mean - margin), REVIEW_DIGITS),
                round(min(1.0, line.mean + margin), REVIEW_DIGITS),
            ],
        }

    reasons: dict[str, Any] = {}
    if verdict_on(regret) != VERDICTS[0]:
        compared.reasoner.names = payload["names"]
        reasons["reasons"] = compared.reasoner.reasons(decision.code)
    best = compared.rival if compared.rival is not None and regret > 0 else compared.played
    return {
        "line": decision.line,
        "seat": seat,
        "legal_moves": len(table.legal(seat)),
        "played": row(compared.played),
        "best": row(best),
        "regret": regret,
        "interval": [round(end, REVIEW_DIGITS) for end in ends],
        "verdict": verdict_on(regret),
        **reasons,
    }


def compare(
    game: Game, table: Table, view: View, played: int, iterations: int, seed: int, tick: Tick | None = None
) -> Comparison:
    """Compare the played move with the best other move.

    In total, the comparison takes about `iterations` search iterations.
    """
    seat, worth = seat_of(view), game.worths[YARDSTICK]
    # Half of the iterations find the best other move.
    search: Advisor = game.advisor(view, seed) or TreeSearch(table, seat, worth, seed)
    run_advisor(search, Budget(max(1, iterations // 2)), tick)
    reasoner = Reasoner(game, view, table, search, worth)
    rival = reasoner.best_but(played)
    # Exact values need no further search.
    if search.lead() == SETTLED and played in search.lines:
        return Comparison(search.lines[played], rival, reasoner)

    # Each of the two moves gets a quarter of the iterations and the same seed, so both values are equally precise.
    def alone(move: int) -> Line:
        forced = TreeSearch(table, seat, worth, seed_of("alone", seed), only=move)
        trace = forced.record()
        run_advisor(forced, Budget(max(1, iterations // 4)), tick)
        reasoner.put(move, forced.lines[move], trace.moves.get(move))
        return reasoner.line(move)

    return Comparison(alone(played), None if rival is None else alone(int(rival.move)), reasoner)
