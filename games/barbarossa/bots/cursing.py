"""The worth of curse stones: they are dear while there is time, and a player wins who spares them for sure attempts."""

from __future__ import annotations

from games.barbarossa.bots.asking import attempts
from games.barbarossa.bots.habits import Habits
from games.barbarossa.bots.mind import Mind
from games.barbarossa.bots.spelling import letters
from games.barbarossa.table.codes import CURSE_ATTEMPT, CURSE_LETTER


def curses(mind: Mind, habits: Habits) -> dict[int, float]:
    """Return the worths of curses, less the price of the stone; letters only if a curse may apply (BR-52 to BR-54)."""
    cost = price(mind, habits)
    told = attempts(mind, CURSE_ATTEMPT)
    if max(guessing.gain for guessing in mind.guessings) * (habits.credit + habits.letter) > cost:
        told |= letters(mind, CURSE_LETTER, habits)
    return {move: worth - cost for move, worth in told.items()}


def price(mind: Mind, habits: Habits) -> float:
    """Return the worth of a curse stone now: less and less towards the end."""
    return habits.curse * mind.unit * (1 - mind.stakes.late())
