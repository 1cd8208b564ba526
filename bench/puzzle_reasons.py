"""The reasons for the moves of a puzzle, from a search of each move alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import msgspec

from games.core.game import LEARNED, Game
from games.core.puzzles import Choice
from games.core.reasons import Findings
from games.core.table import Table
from games.search.explain import Reasoner
from games.search.tree import TreeSearch
from games.search.views import imagined_table

REASON_ITERATIONS: Final = 3_000
"""Iterations for each move that has reasons."""

MAX_REASONED_MOVES: Final = 5
"""The best moves of a puzzle have reasons."""

MAX_REPLIES: Final = 3
DIGITS: Final = 4


def explained(game: Game, table: Table, seat: int, choices: Sequence[Choice], seed: int) -> list[Choice]:
    """Return choices with the reasons for the best of them: the first compared with the second, others with the first.

    The search gets no more than the view of the seat.
    """
    codes = [choice.code for choice in choices[:MAX_REASONED_MOVES]]
    view = game.view(table, seat)
    imagined = imagined_table(game, view, seed)
    worth = game.worth(LEARNED)
    own = game.advisor(view, seed)
    reasoner = Reasoner(game, view, imagined, own or TreeSearch(imagined, seat, worth, seed), worth)
    if own is None:
        for code in codes:
            reasoner.search_alone(code, REASON_ITERATIONS, seed)
    found = list[Choice]()
    for choice in choices:
        reasons = Findings()
        if choice.code in codes:
            against = codes[1] if choice.code == codes[0] else codes[0]
            reasons = reasoner.findings(choice.code, against)
        found.append(msgspec.structs.replace(choice, reasons=compact(reasons)))
    return found


def compact(found: Findings) -> Findings:
    """Return reasons with rounded numbers and without the parts that a code stands for."""
    gains = [
        gain._replace(
            value=round(gain.value, DIGITS), amount=None if gain.amount is None else round(gain.amount, DIGITS)
        )
        for gain in found.gains
    ]
    risks = [
        risk._replace(
            chance=round(risk.chance, DIGITS),
            value=round(risk.value, DIGITS),
            otherwise=round(risk.otherwise, DIGITS),
            margin=round(risk.margin, DIGITS),
        )
        for risk in found.risks
    ]
    line = [each._replace(move=None, frequency=round(each.frequency, DIGITS)) for each in found.line[:MAX_REPLIES]]
    return replace(found, gains=gains, risks=risks, line=line)
