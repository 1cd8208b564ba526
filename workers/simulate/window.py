"""One window: all who may move decide from the same state, and their answers are carried out together.

Chance decides between answers of the same moment, as the die does at a table. An answer that gives way
(`Game.gives_way`) comes after all others. An answer stands until its seat hears something; who has heard decides anew.
So once an answer is heard by anybody else in the window, the window is over, and what was not yet carried out falls
away. That is why the order may be drawn first and no seat decides whose answer would fall away.
"""

from __future__ import annotations

from collections.abc import Callable

from games.core.bits import bit, count, first
from games.core.dice import CHOICE, Dice
from games.core.game import Game
from games.core.table import Journal, Table

Ask = Callable[[int], int]
"""Returns the code of a seat's move at the table."""

Do = Callable[[int, int, Journal], None]
"""Makes a seat's move at the table, and writes down who hears of it."""


def play_window(game: Game, table: Table, lots: Dice, ask: Ask, do: Do) -> None:
    """Ask everybody who may move, and carry the answers out until somebody else who was asked hears of one.

    `lots` decides between several seats; with one alone, nothing is drawn.
    """
    asked = table.actors()
    waiting: list[tuple[int, int]] = []
    left = asked
    while left:
        seat = int(first(left) if count(left) == 1 else lots.member(left, CHOICE))
        left &= ~bit(seat)
        code = ask(seat)
        if count(asked) > 1 and game.gives_way(table, seat, code):
            waiting.append((seat, code))
        elif _heard(do, seat, code, asked):
            return
    for seat, code in waiting:
        if _heard(do, seat, code, asked):
            return


def _heard(do: Do, seat: int, code: int, asked: int) -> bool:
    """Make a move, and return whether anybody else who was asked hears of it."""
    journal = Journal()
    do(seat, code, journal)
    return any(hearers & asked & ~bit(seat) for hearers, *_ in journal.notes)
