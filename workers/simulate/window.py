"""Simultaneous decisions. Each seat decides before it receives any event of another seat's move.

The seats that may move decide in a random order. A seat's move is made as soon as the seat has decided. But a move that
gives way (`Game.gives_way`) is made after all others. A move may send an event to another seat that may move. Then no
more moves are made, and moves that gave way are discarded. The remaining seats decide again in the new state.
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
    """Let the seats that may move decide, and make their moves. Stop if a move sends an event to another of them.

    `lots` draws the order of the seats. For a single seat, nothing is drawn.
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
