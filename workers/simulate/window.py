"""Simultaneous decisions of several seats.

The seats decide in random order. Usually, each seat decides before it receives any event of another seat's move. If a
move sends an event to another of these seats, the seats that have not moved decide after this event. A move that gives
way (`Game.gives_way`) is made after the moves of all other seats.
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
    """Let all seats that may move decide in random order, and make their moves.

    A move that gives way (`Game.gives_way`) is made after all other moves. If a move sends an event to another of these
    seats, the function stops after this move. It then discards all moves that it has not made yet.
    """
    asked = table.actors()
    # Moves that give way to others. They are discarded if another move stops the window.
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
