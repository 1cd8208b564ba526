"""Reasons for moves from the adviser's own sums: the parts of a move's worth, and its risks."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final

from games.barbarossa.bots.asking import Prospect, best_attempt, prospects
from games.barbarossa.bots.cursing import price
from games.barbarossa.bots.mind import Guessing, Mind
from games.barbarossa.table import codes
from games.barbarossa.table.codes import kind_of, riddle_of, what_of
from games.barbarossa.terms.catalogue import ATTRIBUTES, TERMS
from games.core.reasons import Gain, Risk

REST: Final = {codes.ROLL: "walk", codes.SPEND: "walk", codes.LETTER: "letter", codes.CURSE_LETTER: "letter"}
"""The part that the rest of a move's worth counts for, by kind."""

ATTEMPTS: Final = {codes.ATTEMPT, codes.CURSE_ATTEMPT}
QUESTIONS: Final = {codes.ASK, codes.ASK_FREELY}
CURSES: Final = {codes.CURSE_LETTER, codes.CURSE_ATTEMPT}

SMALL: Final = 1e-9
"""Minimum worth of a part."""

MIN_CHANCE: Final = 0.02
"""Minimum probability of a risk and of its opposite."""


class Reasoning:
    """The parts and the risks of the moves of a turn, from the sums of their worths."""

    def __init__(self, mind: Mind, told: Mapping[int, float]) -> None:
        """Take the worth of each move."""
        self.mind, self.told = mind, told
        self.known: dict[int, dict[str, float]] = {}

    @cached_property
    def questions(self) -> dict[int, Prospect]:
        """Return the prospect of each question by code."""
        return {each.code: each for each in prospects(self.mind, self.mind.skill.habits)}

    @cached_property
    def uncursed(self) -> int:
        """Return the best move that casts no curse."""
        return max((move for move in self.told if kind_of(move) not in CURSES), key=self.told.__getitem__)

    def parts(self, move: int) -> dict[str, float]:
        """Return the parts of a move's worth, which add up to it."""
        if move not in self.known:
            self.known[move] = self._parts(move)
        return self.known[move]

    def _parts(self, move: int) -> dict[str, float]:
        kind, found, mind = kind_of(move), dict[str, float](), self.mind
        if kind in CURSES:  # the turn goes on with the best other move
            found = dict(self.parts(self.uncursed))
            found["curse"] = -price(mind, mind.skill.habits)
        if kind in ATTEMPTS:
            found["solution"] = found.get("solution", 0.0) + hit(mind, move) * guessing_of(mind, move).gain
        elif kind in QUESTIONS:
            asked, first = self.questions[move], mind.view.phase == "first_round"
            found["attempt"] = asked.after + (asked.after_no if first else 0.0)
            found["information"] = asked.credit * (1.0 if first else mind.skill.habits.keep)
        elif kind == codes.END_ROUND and mind.view.phase == "first_round":
            found["attempt"] = best_attempt(mind)
        rest = self.told[move] - sum(found.values())
        if abs(rest) > SMALL:
            code = REST.get(kind, "questions")
            found[code] = found.get(code, 0.0) + rest
        return found

    def differences(self, move: int, against: int) -> list[Gain]:
        """Return the parts of the difference between two moves."""
        one, two = self.parts(move), self.parts(against)
        found = {
            code: one.get(code, 0.0) - two.get(code, 0.0) for code in [*one, *(code for code in two if code not in one)]
        }
        return [Gain(code, [self.mind.seat], None, value > 0, value) for code, value in found.items()]

    def risks(self, move: int) -> list[Risk]:
        """Return the risk that an attempt is wrong, or that the answer to a question is no."""
        mind, worth, kind = self.mind, self.told[move], kind_of(move)
        base, params = mind.now, dict[str, Any](riddle=int(riddle_of(move)))
        if kind in ATTEMPTS:
            gain, chance = guessing_of(mind, move).gain, hit(mind, move)
            held = base + worth - chance * gain
            params |= {"term": TERMS[what_of(move)].id}
            return kept(Risk("wrong_term", params, 1 - chance, held, held + gain, 0.0))
        if kind not in QUESTIONS:
            return []
        asked = self.questions[move]
        if not MIN_CHANCE <= asked.no <= 1 - MIN_CHANCE:
            return []
        found, first = self.parts(move), mind.view.phase == "first_round"
        always = base + found["information"]
        held = always + (asked.after_no / asked.no if first else 0.0)
        free = always + (asked.after + found.get("questions", 0.0)) / (1 - asked.no)
        attribute = what_of(move) - (codes.WORDED if kind == codes.ASK_FREELY else 0)
        params |= {"question": ATTRIBUTES[attribute].id}
        return kept(Risk("answer_no", params, asked.no, held, free, 0.0))


def kept(risk: Risk) -> list[Risk]:
    """Return a risk that is no certainty and costs something, with values that are probabilities."""
    if not MIN_CHANCE <= risk.chance <= 1 - MIN_CHANCE or risk.value >= risk.otherwise:
        return []
    value, otherwise = (min(1.0, max(0.0, each)) for each in (risk.value, risk.otherwise))
    return [risk._replace(value=value, otherwise=otherwise)]


def guessing_of(mind: Mind, move: int) -> Guessing:
    """Return the belief about the riddle of a move."""
    return next(each for each in mind.guessings if each.number == riddle_of(move))


def hit(mind: Mind, move: int) -> float:
    """Return the probability that an attempt is right."""
    return float(guessing_of(mind, move).belief.chances[what_of(move)])
