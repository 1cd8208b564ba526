"""The choice of the letter to ask for, and of the letter to give."""

from __future__ import annotations

from heapq import nlargest
from typing import Final

from games.barbarossa.bots.asking import best_attempt, rate
from games.barbarossa.bots.habits import Habits
from games.barbarossa.bots.mind import Mind
from games.barbarossa.moves import place_number
from games.barbarossa.table.codes import ANY, code
from games.barbarossa.table.lexicon import PLACES

UNCHOSEN: Final = 2.0
"""Bits that a letter is taken to bring whose place the modeller chooses."""

SHOWN: Final = 3
"""Number of places of a riddle that are considered."""


def letters(mind: Mind, kind: int, habits: Habits) -> dict[int, float]:
    """Return the worths of the riddles' letters: their bits, and the gain of the next attempt."""
    found: dict[int, float] = {}
    for guessing in mind.guessings:
        if guessing.gain <= 0:
            continue
        worth = rate(guessing, habits)
        if mind.view.options.letter == "modeller":
            found[int(code(kind, guessing.number, ANY))] = worth * min(guessing.bits, UNCHOSEN)
            continue
        best, known = best_attempt(mind), known_places(mind, guessing.number)
        told = guessing.hunch.spelling(mind.language)
        values = told.worths(worth, habits.letter, best, guessing.gain)
        open_places = [place for place in range(PLACES) if place not in known] if known else range(PLACES)
        for place in nlargest(SHOWN, open_places, values.__getitem__):
            found[int(code(kind, guessing.number, place))] = values[place]
    return found


def known_places(mind: Mind, number: int) -> set[int]:
    """Return the places that the seat has asked for (BR-D13)."""
    notes = next(notes for notes in mind.view.riddles[number].notes if notes.seat == mind.seat)
    return {int(place_number(letter.place)) for letter in notes.letters if letter.place is not None}
