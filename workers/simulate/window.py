"""Decision windows: all seats that may move decide from the same state, and their answers are carried out together.

A random order is drawn first, and the seats decide in this order. An answer that gives way (`Game.gives_way`) is
carried out after all others. An answer is valid until its seat receives an event of another seat's move; then the seat
must decide again. So the window ends when a move sends an event to another of its seats. The remaining answers are
void, and seats that are later in the order need not decide.
"""

from __future__ import annotations

from collections.abc import Callable

from games.core.bits import bit, count, first
from games.core.dice import CHOICE, Dice
from games.core.game import Game
from games.core.table import Journal, Table

Ask = Callable[[int], int]
"""A function that returns the code of a seat's move at the table."""

Do = Callable[[int, int, Journal], None]
"""A function that makes a seat's move at the table, and records in the journal which seats receive its events."""


def play_window(game: Game, table: Table, lots: Dice, ask: Ask, do: Do) -> None:
    """Let all seats that may move decide, and carry out their answers until a move affects another of these seats.

    `lots` draws the order of several seats. A single seat needs no draw.
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
        elif _is_heard(do, seat, code, asked):
            return
    for seat, code in waiting:
        if _is_heard(do, seat, code, asked):
            return


def _is_heard(do: Do, seat: int, code: int, asked: int) -> bool:
    journal = Journal()
    do(seat, code, journal)
    return any(hearers & asked & ~bit(seat) for hearers, *_ in journal.notes)
