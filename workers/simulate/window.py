"""Simultaneous decisions of several seats.

The seats decide one after another, in random order. Usually, the move of one seat sends no event to the other seats. So
each seat decides without knowledge of the other moves. But a move can also send an event to another of these seats. The
function `play_window` then stops after this move. The remaining seats decide later, with knowledge of the event.

For some moves, `Game.gives_way` returns true. Such a move is made after the moves of all other seats.
"""

from __future__ import annotations

from collections.abc import Callable

from games.core.bits import bit, count, first
from games.core.dice import CHOICE, Dice
from games.core.game import Game
from games.core.table import Journal, Table

Ask = Callable[[int], int]
"""A function that returns the code of a seat's move at the current table."""

Do = Callable[[int, int, Journal], None]
"""A function that makes a seat's move. It records in the journal which seats receive events of the move."""


def play_window(game: Game, table: Table, lots: Dice, ask: Ask, do: Do) -> None:
    """Request a move from each acting seat, in random order, and make these moves.

    A seat is acting if it may move now. Usually, the function makes a move as soon as the seat has chosen it. If
    `Game.gives_way` returns true for the move, the function makes it after the moves of all other seats. If a move
    sends an event to another acting seat, the function stops after this move. It then discards the chosen moves that it
    has not made yet.
    """
    asked = table.actors()
    # Moves that must wait for the other moves. They are discarded if another move stops the window.
    waiting: list[tuple[int, int]] = []
    left = asked
    while left:
        seat = int(first(left) if count(left) == 1 else lots.member(left, CHOICE))
        left &= ~bit(seat)
        code = ask(seat)
        if count(asked) > 1 and game.gives_way(table, seat, code):
            waiting.append((seat, code))
        elif _is_heard(do, seat, code, asked):
            return
    for seat, code in waiting:
        if _is_heard(do, seat, code, asked):
            return


def _is_heard(do: Do, seat: int, code: int, asked: int) -> bool:
    journal = Journal()
    do(seat, code, journal)
    return any(hearers & asked & ~bit(seat) for hearers, *_ in journal.notes)
