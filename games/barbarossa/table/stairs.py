"""The stairs: moves of hats, effects of a solution, and both ends of the game; compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mypy_extensions import i64

from games.barbarossa.table import notes
from games.barbarossa.table.constants import (
    BY_GOAL,
    BY_SPEARS,
    FIRST_REWARD,
    NO_FLOOR,
    SECOND_REWARD,
    SINGLE_SOLUTION,
    SPEARS,
    UNSOLVED,
)
from games.barbarossa.table.phases import OVER
from games.barbarossa.table.riddle import Riddle
from games.core.bits import bit, full, has
from games.core.table import EVERYONE, Journal

if TYPE_CHECKING:  # the hall imports its chapters
    from games.barbarossa.table.hall import Hall


def modellers_step(solution: i64) -> i64:
    """Return the step of a modeller's hat at the k-th solution of the game, k from 1 (BR-4, BR-43, BR-44)."""
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
    """Return the steps that a riddle moves its modeller's hat back at the end (BR-60, BR-61)."""
    if riddle.spears() == 0:
        return UNSOLVED
    if riddle.spears() == 1:
        return SINGLE_SOLUTION
    return 0


def move_hat(hall: Hall, seat: i64, steps: i64, journal: Journal | None) -> None:
    """Move a hat, backwards no farther than the option allows (BR-D24)."""
    player = hall.player(seat)
    before: i64 = player.hat
    player.hat += steps
    player.hat = max(player.hat, hall.options.floor)
    if journal is not None and player.hat != before:
        journal.tell(EVERYONE, notes.HAT, seat, player.hat - before, player.hat)


def lift_others(hall: Hall, seat: i64, steps: i64, journal: Journal | None) -> None:
    """Move all hats but one forward, at the same time (BR-45, BR-46, BR-D23, BR-D26)."""
    other: i64
    for other in range(hall.seats):
        if other != seat:
            move_hat(hall, other, steps, journal)
    if at_goal(hall):
        end_game(hall, farthest(hall, at_goal(hall)), BY_GOAL, journal)


def at_goal(hall: Hall) -> i64:
    """Return the seats whose hats have reached the goal (BR-63)."""
    found: i64 = 0
    seat: i64
    for seat in range(hall.seats):
        if hall.player(seat).hat >= hall.options.goal:
            found |= bit(seat)
    return found


def farthest(hall: Hall, seats: i64) -> i64:
    """Return which of some hats are farthest (BR-62)."""
    ahead: i64 = 0
    best: i64 = NO_FLOOR
    seat: i64
    for seat in range(hall.seats):
        hat: i64 = hall.player(seat).hat
        if not has(seats, seat) or hat < best:
            continue
        if hat > best:
            ahead = 0
            best = hat
        ahead |= bit(seat)
    return ahead


def solve_riddle(hall: Hall, seat: i64, number: i64, journal: Journal | None) -> None:
    """Stick a spear into a riddle, move the solver's hat, then the modeller's (BR-3, BR-39, BR-43, BR-D25).

    A hat at the goal ends the game at that very step (BR-63, BR-64); the thirteenth spear ends it after both
    (BR-59, BR-D27).
    """
    riddle = hall.riddle(number)
    if riddle.spears() == 0:
        reward: i64 = FIRST_REWARD
    else:
        reward = SECOND_REWARD
    hall.renew(number).solvers |= bit(seat)
    hall.spears += 1
    move_hat(hall, seat, reward, journal)
    if at_goal(hall):
        end_game(hall, bit(seat), BY_GOAL, journal)
        return
    modeller: i64 = hall.modeller(number)
    move_hat(hall, modeller, modellers_step(hall.spears), journal)
    if at_goal(hall):
        end_game(hall, bit(modeller), BY_GOAL, journal)
    elif hall.spears == SPEARS:
        end_with_penalties(hall, BY_SPEARS, journal)


def end_with_penalties(hall: Hall, reason: i64, journal: Journal | None) -> None:
    """Move hats back for riddles not fully solved, stopped by nothing, and end the game (BR-59 to BR-62)."""
    number: i64
    for number in range(hall.total()):
        steps: i64 = penalty(hall.riddle(number))
        if steps > 0:
            player = hall.player(hall.modeller(number))
            player.hat -= steps
            if journal is not None:
                journal.tell(EVERYONE, notes.PENALTY, number, steps, player.hat)
    end_game(hall, farthest(hall, full(hall.seats)), reason, journal)


def end_game(hall: Hall, winners: i64, reason: i64, journal: Journal | None) -> None:
    """End the game (BR-2)."""
    hall.winners = winners
    hall.phase = OVER
    hall.silent = 0
    if journal is not None:
        journal.tell(EVERYONE, notes.OVER, winners, reason, 0)
