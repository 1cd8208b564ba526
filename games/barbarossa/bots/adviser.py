"""The game's own adviser: every decision with its worth, exact under the seat's beliefs."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate
from math import exp
from typing import Final

from games.barbarossa.bots.asking import first_round, second_round
from games.barbarossa.bots.cursing import curses
from games.barbarossa.bots.habits import Habits
from games.barbarossa.bots.mind import Mind
from games.barbarossa.bots.modelling import modelling
from games.barbarossa.bots.owing import owed
from games.barbarossa.bots.skills import EXPERT, Skill
from games.barbarossa.bots.spelling import letters
from games.barbarossa.bots.walking import walks
from games.barbarossa.table.codes import FORGO, HOLD, LETTER, code
from games.barbarossa.terms.catalogue import TERMS
from games.barbarossa.view import WizardView
from games.core.advice import SETTLED, Hypothesis
from games.core.dice import CHOICE, Dice, FastDice

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
        self.base, unit, self.told = decisions(view, view.seat, skill, seed)
        self.choice = draw_move(self.told, skill.temperature * unit, FastDice(seed))

    @property
    def lines(self) -> Mapping[int, Value]:
        """Return the worths of moves."""
        found = self.told.items()
        return {move: Value(move, self.done, min(1.0, max(0.0, self.base + worth))) for move, worth in found}

    def run(self, iterations: int) -> None:
        """Count this number of iterations."""
        self.done += iterations

    def best(self) -> int:
        """Return the move with the highest worth, or the drawn one."""
        return self.choice

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


def decisions(view: WizardView, seat: int, skill: Skill, seed: int) -> tuple[float, float, dict[int, float]]:
    """Return a seat's chance to win, the gain of five steps, and the gain of each move that it considers."""
    if view.phase == "modelling":
        return 1 / view.seats, 1.0, {modelling(len(view.riddles) // view.seats, skill, FastDice(seed)): 0.0}
    mind, habits = Mind(view, seat, skill), skill.habits
    if view.phase in {"answering", "giving", "judging"}:
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
