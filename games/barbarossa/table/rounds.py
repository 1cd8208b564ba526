"""Turns and their rounds of questions: how they begin, go on and end; compiled."""

from __future__ import annotations

from mypy_extensions import i64, mypyc_attr

from games.barbarossa.table.riddle import Asked
from games.barbarossa.table.sitting import DWARF_LETTER, FIRST_ROUND, MODELLING, MOVING, OVER, SECOND_ROUND
from games.barbarossa.table.stairs import BY_CAP, TOLD_SECOND_ROUND, TOLD_TURN, Stairs
from games.core.table import EVERYONE, Journal


@mypyc_attr(acyclic=True)
class Rounds(Stairs):
    """A sitting whose turns come and go."""

    __slots__ = ()

    def begin_round(self, phase: i64) -> None:
        """Begin a round of questions (BR-26, BR-D31, BR-D32)."""
        self.phase = phase
        self.questions = 0
        number: i64
        for number in range(self.total()):
            self.riddle(number).asked = Asked(0, 0)

    def go_on(self, journal: Journal | None) -> None:
        """End a turn that has nothing left to do (BR-25, BR-D20, BR-D22)."""
        if self.phase == FIRST_ROUND or self.phase == SECOND_ROUND:
            if not self.askable(self.turn):
                self.end_turn(journal)
        elif self.phase == DWARF_LETTER and not self.unsolved(self.turn):
            self.end_turn(journal)

    def end_round(self, journal: Journal | None) -> None:
        """Begin the second round at once after the first, or end the turn (BR-32, BR-34, BR-D5, BR-D16)."""
        if self.phase != FIRST_ROUND:
            self.end_turn(journal)
            return
        self.begin_round(SECOND_ROUND)
        if journal is not None:
            journal.tell(EVERYONE, TOLD_SECOND_ROUND, self.turn, 0, 0)

    def end_turn(self, journal: Journal | None) -> None:
        """Pass the turn on clockwise, unless the game is over (BR-19, BR-25, BR-D45)."""
        if self.phase == OVER:
            return
        self.begin_round(MOVING)
        self.turn = (self.turn + 1) % self.seats
        self.turns += 1
        if self.turns == self.house.turn_cap:
            self.punish(BY_CAP, journal)
        elif journal is not None:
            journal.tell(EVERYONE, TOLD_TURN, self.turn, self.turns, 0)

    def resume_round(self) -> None:
        """Go back to the round that waited for an answer."""
        self.phase = self.resume
        self.resume = MODELLING
