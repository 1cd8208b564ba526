"""Simultaneous decisions. All seats that may move decide in the same state, before any of their moves is made.

The seats decide in a random order, and their moves are made in that order. A move that gives way (`Game.gives_way`) is
made after all others. A decision is valid only until its seat receives an event of another seat's move. So after a move
that sends an event to another seat that may move, no more moves are made. The remaining decisions are discarded, and
their seats decide again in the new state.
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
    """Let all seats that may move decide, and make their moves. Stop after a move that affects another of these seats.

    `lots` draws the order of the seats. If only one seat may move, nothing is drawn.
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
