"""The stairs: how hats move, what a solution brings, and both ends of the game; compiled."""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64, mypyc_attr

from games.barbarossa.table.riddle import Riddle
from games.barbarossa.table.sitting import NO_FLOOR, NOBODY, OVER, Sitting
from games.core.bits import bit, full, has
from games.core.table import EVERYONE, Journal

TOLD_HAT: Final = 20
"""Notes of the journal below this are move kinds; these are the others."""

TOLD_FIELD: Final = 21
TOLD_TURN: Final = 22
TOLD_SECOND_ROUND: Final = 23
TOLD_SHOWN: Final = 24
TOLD_OVER: Final = 25
TOLD_LETTER: Final = 26
TOLD_ASKED: Final = 27
TOLD_PENALTY: Final = 28
TOLD_INSISTED: Final = 29
TOLD_TRIED: Final = 30

BY_GOAL: Final = 0
BY_SPEARS: Final = 1
BY_CAP: Final = 2

SPEARS: Final = 13
"""How many there are (BR-7, BR-59)."""

FIRST_REWARD: Final = 5
SECOND_REWARD: Final = 3
"""Steps of a solver (BR-40, BR-41)."""

UNSOLVED: Final = 5
SOLVED_ONCE: Final = 2


def modellers_step(solution: i64) -> i64:
    """Return how a modeller's hat moves at the k-th solution of the game, k from 1 (BR-4, BR-43, BR-44)."""
    if solution <= 2:
        return -2
    if solution <= 4:
        return -1
    if solution <= 6:
        return 1
    if solution <= 9:
        return 2
    if solution == 10:
        return 1
    if solution <= 12:
        return -1
    return -2


def penalty(riddle: Riddle) -> i64:
    """Return how far a riddle moves its modeller's hat back at the end (BR-60, BR-61)."""
    if riddle.spears() == 0:
        return UNSOLVED
    if riddle.spears() == 1:
        return SOLVED_ONCE
    return 0


@mypyc_attr(acyclic=True)
class Stairs(Sitting):
    """A sitting whose hats climb."""

    __slots__ = ()

    def climb(self, seat: i64, steps: i64, journal: Journal | None) -> None:
        """Move a hat, backwards no farther than the option allows (BR-D24)."""
        player = self.player(seat)
        before: i64 = player.hat
        player.hat += steps
        player.hat = max(player.hat, self.house.floor)
        if journal is not None and player.hat != before:
            journal.tell(EVERYONE, TOLD_HAT, seat, player.hat - before, player.hat)

    def lift_others(self, seat: i64, steps: i64, journal: Journal | None) -> None:
        """Move all hats but one forward, at the same time (BR-45, BR-46, BR-D23, BR-D26)."""
        other: i64
        for other in range(self.seats):
            if other != seat:
                self.climb(other, steps, journal)
        if self.at_goal():
            self.end(self.farthest(self.at_goal()), BY_GOAL, journal)

    def at_goal(self) -> i64:
        """Return the seats whose hats have reached the goal (BR-63)."""
        found: i64 = 0
        seat: i64
        for seat in range(self.seats):
            if self.player(seat).hat >= self.house.goal:
                found |= bit(seat)
        return found

    def farthest(self, seats: i64) -> i64:
        """Return which of some hats are farthest (BR-62)."""
        found: i64 = 0
        best: i64 = NO_FLOOR
        seat: i64
        for seat in range(self.seats):
            hat: i64 = self.player(seat).hat
            if not has(seats, seat) or hat < best:
                continue
            if hat > best:
                found = 0
                best = hat
            found |= bit(seat)
        return found

    def solve(self, seat: i64, number: i64, journal: Journal | None) -> None:
        """Stick a spear into a riddle, move the solver's hat, then the modeller's (BR-3, BR-39, BR-43, BR-D25).

        A hat at the goal ends the game at that very step (BR-63, BR-64); the thirteenth spear ends it after both
        (BR-59, BR-D27).
        """
        riddle = self.riddle(number)
        if riddle.spears() == 0:
            reward: i64 = FIRST_REWARD
        else:
            reward = SECOND_REWARD
        riddle.solvers |= bit(seat)
        self.spears += 1
        self.climb(seat, reward, journal)
        if self.at_goal():
            self.end(bit(seat), BY_GOAL, journal)
            return
        modeller: i64 = self.modeller(number)
        self.climb(modeller, modellers_step(self.spears), journal)
        if self.at_goal():
            self.end(bit(modeller), BY_GOAL, journal)
        elif self.spears == SPEARS:
            self.punish(BY_SPEARS, journal)

    def punish(self, reason: i64, journal: Journal | None) -> None:
        """Move hats back for riddles not fully solved, stopped by nothing, and end the game (BR-59 to BR-62)."""
        number: i64
        for number in range(self.total()):
            steps: i64 = penalty(self.riddle(number))
            if steps > 0:
                player = self.player(self.modeller(number))
                player.hat -= steps
                if journal is not None:
                    journal.tell(EVERYONE, TOLD_PENALTY, number, steps, player.hat)
        self.end(self.farthest(full(self.seats)), reason, journal)

    def end(self, winners: i64, reason: i64, journal: Journal | None) -> None:
        """End the game (BR-2)."""
        self.winners = winners
        self.phase = OVER
        self.asker = NOBODY
        self.silent = 0
        if journal is not None:
            journal.tell(EVERYONE, TOLD_OVER, winners, reason, 0)
