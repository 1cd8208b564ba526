"""The game's own adviser: every decision with its worth, exact under the seat's beliefs."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import exp
from typing import Final

from games.barbarossa.bots.asking import first_round, second_round
from games.barbarossa.bots.cursing import curses, price
from games.barbarossa.bots.habits import Habits
from games.barbarossa.bots.mind import Mind
from games.barbarossa.bots.modelling import modelling
from games.barbarossa.bots.owing import owed
from games.barbarossa.bots.reasoning import ATTEMPTS, CURSES, Reasoning
from games.barbarossa.bots.skills import EXPERT, Skill
from games.barbarossa.bots.spelling import letters
from games.barbarossa.bots.walking import walks
from games.barbarossa.table.codes import CURSE_ATTEMPT, FORGO, HOLD, LETTER, code, kind_of, riddle_of, what_of
from games.barbarossa.terms.catalogue import TERMS
from games.barbarossa.view import WizardView
from games.core.advice import SETTLED, Hypothesis
from games.core.dice import CHOICE, Dice, FastDice
from games.core.reasons import MIN_DIFFERENCE, Findings, named

FORCED: Final = {"modelling", "answering", "giving", "judging"}
"""Phases in which the adviser knows one move."""

GRAINS: Final = 2**30
"""Resolution of a draw by weights."""


@dataclass(slots=True)
class Value:
    """The worth of a move, in chance to win; nothing about it is sampled."""

    move: int
    visits: int
    mean: float

    def margin(self) -> float:
        """Return 0: chance has no part in it."""
        return 0.0


class Adviser:
    """Advice that is ready at once; iterations are counted and add nothing."""

    def __init__(self, view: WizardView, skill: Skill, seed: int) -> None:
        """Take a view of a seat that has to move."""
        if view.seat is None or view.seat not in view.actors:
            raise ValueError("the seat may not move")
        self.done = 0
        self.view, self.skill = view, skill
        self.mind = None if view.phase == "modelling" else Mind(view, view.seat, skill)
        self.base, unit, self.told = decisions(view, self.mind, skill, seed)
        self.choice = draw_move(self.told, skill.temperature * unit, FastDice(seed))

    @cached_property
    def lines(self) -> Mapping[int, Value]:
        """Return the worths of moves."""
        found = self.told.items()
        return {move: Value(move, self.done, min(1.0, max(0.0, self.base + worth))) for move, worth in found}

    @cached_property
    def reasoning(self) -> Reasoning | None:
        """Return the reasons for moves of the seat's own choice; None in a forced phase."""
        return None if self.mind is None or self.view.phase in FORCED else Reasoning(self.mind, self.told)

    def run(self, iterations: int) -> None:
        """Count this number of iterations."""
        self.done += iterations
        self.__dict__.pop("lines", None)

    def best(self) -> int:
        """Return the move with the highest worth, or the drawn one."""
        return self.choice

    def findings(self, move: int, against: int | None) -> Findings:
        """Return the reasons for a move of the seat's own choice, compared with another."""
        if against is None or self.reasoning is None:
            return Findings()
        gained = self.told[move] - self.told[against]
        shown = self.lines[move].mean - self.lines[against].mean
        is_exact = abs(shown) >= MIN_DIFFERENCE and abs(shown - gained) < MIN_DIFFERENCE / 2
        gains = named(self.reasoning.differences(move, against), gained) if is_exact else []
        return Findings(gains, self.reasoning.risks(move))

    def consider(self, move: int) -> None:
        """Add an attempt that seemed too unlikely to be worth a line."""
        mind = self.mind
        if mind is None or self.view.phase in FORCED or kind_of(move) not in ATTEMPTS:
            return
        for guessing in mind.guessings:
            if guessing.number == riddle_of(move) and what_of(move) < len(TERMS):
                ahead = 0.0
                if kind_of(move) == CURSE_ATTEMPT:
                    ahead = max(worth for other, worth in self.told.items() if kind_of(other) not in CURSES)
                    ahead -= price(mind, self.skill.habits)
                self.told[move] = ahead + guessing.belief.chances[what_of(move)] * guessing.gain
                self.__dict__.pop("lines", None)

    def lead(self) -> int:
        """Return that nothing can change the choice."""
        return SETTLED


def draw_move(told: Mapping[int, float], warmth: float, dice: Dice) -> int:
    """Draw a move: a worth of w less than the best weighs exp(-w / warmth). Without warmth it is the best."""
    best = max(told.values())
    if warmth <= 0:
        return min(move for move, worth in told.items() if worth == best)
    moves = sorted(told)
    upto = list(accumulate(exp((told[move] - best) / warmth) for move in moves))
    mark = dice.below(GRAINS, CHOICE) / GRAINS * upto[-1]
    return moves[bisect_right(upto, mark, hi=len(moves) - 1)]


def decisions(view: WizardView, mind: Mind | None, skill: Skill, seed: int) -> tuple[float, float, dict[int, float]]:
    """Return a seat's chance to win, the gain of five steps, and the gain of each move that it considers.

    A seat that models its riddles has no mind yet.
    """
    if mind is None:
        return 1 / view.seats, 1.0, {modelling(len(view.riddles) // view.seats, skill, FastDice(seed)): 0.0}
    seat, habits = mind.seat, skill.habits
    if view.phase in FORCED:
        return mind.now, mind.unit, {owed(mind): 0.0}
    told = turn(mind, habits) if view.turn == seat else {int(code(HOLD, 0, 0)): 0.0}
    if view.wizards[seat].curses and view.phase in {"moving", "first_round", "dwarf_letter"} and mind.guessings:
        ahead = max(told.values())
        told |= {move: ahead + worth for move, worth in curses(mind, habits).items()}
    return mind.now, mind.unit, told


def turn(mind: Mind, habits: Habits) -> dict[int, float]:
    """Return the worths of the moves in the seat's own turn."""
    if mind.view.phase == "moving":
        return walks(mind, habits)
    if mind.view.phase == "first_round":
        return first_round(mind, habits)
    if mind.view.phase == "dwarf_letter":
        return {int(code(FORGO, 0, 0)): 0.0, **letters(mind, LETTER, habits)}
    found = second_round(mind, habits)
    if mind.view.options.simple and not mind.view.questions:
        found |= letters(mind, LETTER, habits)
    return found


def hypotheses(view: WizardView) -> list[Hypothesis]:
    """Return the likeliest terms of every riddle that the seat of a view may still solve."""
    if view.seat is None or view.phase in {"modelling", "over"}:
        return []
    guessings = Mind(view, view.seat, EXPERT).guessings
    found = [
        Hypothesis(about=guessing.number, guess=TERMS[term].id, chance=round(guessing.belief.chances[term], 6))
        for guessing in guessings
        for term in guessing.hunch.likeliest
    ]
    return sorted(found, key=lambda hunch: -hunch.chance)
