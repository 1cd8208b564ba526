"""Turns and their rounds of questions: their start, course and end; compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mypy_extensions import i64

from games.barbarossa.table import notes, phases
from games.barbarossa.table.constants import BY_CAP
from games.barbarossa.table.riddle import NOTHING_ASKED
from games.barbarossa.table.stairs import end_with_penalties
from games.core.table import EVERYONE, Journal

if TYPE_CHECKING:  # the hall imports its chapters
    from games.barbarossa.table.hall import Hall


def begin_round(hall: Hall, phase: i64) -> None:
    """Begin a round of questions (BR-26, BR-D31, BR-D32)."""
    hall.phase = phase
    hall.questions = 0
    number: i64
    for number in range(hall.total()):
        if not hall.riddle(number).asked.none():
            hall.renew(number).asked = NOTHING_ASKED


def end_idle_turn(hall: Hall, journal: Journal | None) -> None:
    """End a turn that has nothing left to do (BR-25, BR-D20, BR-D22)."""
    if hall.phase == phases.FIRST_ROUND or hall.phase == phases.SECOND_ROUND:
        if not hall.askable(hall.turn):
            end_turn(hall, journal)
    elif hall.phase == phases.DWARF_LETTER and not hall.unsolved(hall.turn):
        end_turn(hall, journal)


def end_round(hall: Hall, journal: Journal | None) -> None:
    """Begin the second round at once after the first, or end the turn (BR-32, BR-34, BR-D5, BR-D16)."""
    if hall.phase != phases.FIRST_ROUND:
        end_turn(hall, journal)
        return
    begin_round(hall, phases.SECOND_ROUND)
    if journal is not None:
        journal.tell(EVERYONE, notes.SECOND_ROUND, hall.turn, 0, 0)


def end_turn(hall: Hall, journal: Journal | None) -> None:
    """Pass the turn on clockwise, unless the game is over (BR-19, BR-25, BR-D45)."""
    if hall.phase == phases.OVER:
        return
    begin_round(hall, phases.MOVING)
    hall.turn = (hall.turn + 1) % hall.seats
    hall.turns += 1
    if hall.turns == hall.options.turn_cap:
        end_with_penalties(hall, BY_CAP, journal)
    elif journal is not None:
        journal.tell(EVERYONE, notes.TURN, hall.turn, hall.turns, 0)


def resume_round(hall: Hall) -> None:
    """Go back to the round that waited for an answer."""
    hall.phase = hall.resume
    hall.resume = phases.MODELLING
