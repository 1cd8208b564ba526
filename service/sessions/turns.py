"""Automatic actions of a session and their times: moves of bots, answers given in advance, and timeouts."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from games.core.dice import CHOICE
from games.core.game import Game
from games.core.levels import LEVELS
from games.core.table import SPECTATOR, Table
from service.sessions.chance import lots, pause_dice
from service.sessions.clocks import budget, grace, later, time_out_at
from service.store.bot_decisions import BotDecision
from service.store.sessions import RUNNING, Session

STANDING_MS: Final = (500, 4_000)
"""Usual range of the random delay of an answer that was chosen in advance. The delay resembles a person's delay."""


class By(Enum):
    """The cause of an automatic action."""

    BOT = "bot"
    STANDING = "standing"
    CLOCK = "clock"
    ABSENCE = "absence"
    REST = "rest"


@dataclass(frozen=True, slots=True, order=True)
class Turn:
    """An automatic action: its time, its seat and its cause."""

    due: int
    lot: int  # the seat's place in the random order of simultaneous decisions
    seat: int
    by: By = field(compare=False)


def turns(game: Game, table: Table | None, session: Session) -> list[Turn]:
    """Return the automatic actions of a session, ordered by time. Before the deal, there are none."""
    found = list[tuple[int, int, By]]()
    seats = actors(game, table, session)
    if table is None or not seats:
        return []
    ready = {seat: session.opened[seat] + patience(game, session, seat) for seat in seats if session.seats[seat].level}
    for seat in seats:
        if seat in ready:
            # Bots with simultaneous decisions all move when the slowest one may move.
            found.append((max(ready.values()), seat, By.BOT))
        elif standing_move(game, table, session, seat) is not None:
            found.append((_open_since(session, seat) + standing_ms(game, session, seat), seat, By.STANDING))
        else:
            found += _ends_of_patience(session, seat)
    late = max((grace(session, seat) for _, seat, by in found if by is By.CLOCK), default=0)
    found = [(due + late, seat, by) if by is By.CLOCK else (due, seat, by) for due, seat, by in found]
    found += ((rest.end, max(rest.seat, 0), By.REST) for rest in session.agreements.running)
    if not found:
        return []
    # Actions at the same time have a random order.
    places = lots(session.charter.key, session.versions[SPECTATOR], len(session.seats))
    return sorted(Turn(due, places[seat], seat, by) for due, seat, by in found)


def _open_since(session: Session, seat: int) -> int:
    # An undo resets `session.opened` to an earlier time, but the seat can answer only after the undo.
    undo = session.undo
    return max(session.opened[seat], session.moved[seat] if undo is not None and undo.done else 0)


def _ends_of_patience(session: Session, seat: int) -> list[tuple[int, int, By]]:
    ends = list[tuple[int, int, By]]()
    if session.charter.clock is not None:
        ends.append((time_out_at(session, seat), seat, By.CLOCK))
    absence, vote, since = session.charter.absence, session.agreements.vote, session.opened[seat]
    if vote is not None and vote.passed and (vote.seat, vote.opened) == (seat, since):
        ends.append((since, seat, By.ABSENCE))
    elif absence is not None and absence.after_ms is not None:
        ends.append((later(session, seat, since, absence.after_ms), seat, By.ABSENCE))
    return sorted(ends, key=lambda end: end[0])[:1]


def standing_ms(game: Game, session: Session, seat: int) -> int:
    """Return the random delay before the service gives a seat's answer, in milliseconds.

    The seat has chosen this answer in advance. The delay starts when the seat's decision opens.
    """
    # The delay does not depend on the answer, so it reveals nothing about the answer.
    low, high = STANDING_MS
    # If bots wait so that people can think, the answer comes no later than a bot's move.
    if low <= pace(game, session) < high:
        high = pace(game, session)
    if session.charter.clock is not None:
        high = min(high, session.charter.clock.move_ms // 2)
    low = min(low, high // 2)
    return low + pause_dice(session.charter.key, seat, session.versions[seat]).below(high - low + 1, CHOICE)


def published_at(due: int, slot: int, decisions: Sequence[BotDecision]) -> int:
    """Return the time from which bots with simultaneous decisions may move. All times are in milliseconds.

    The returned time is a point of a grid. The points of the grid are `slot` apart. The grid starts at the later of two
    times: `due`, and `slot` after the start of the first search. Return the first point at which all searches have
    ended.
    """
    first = max(due, min(each.began for each in decisions) + slot)
    late = max(each.ended for each in decisions) - first
    # Only whole slots are added, so that the time does not reveal when a search ended.
    return first if late <= 0 else first + -(-late // slot) * slot


def patience(game: Game, session: Session, seat: int) -> int:
    """Return the minimum delay before the bot at a seat moves, in milliseconds."""
    return max(LEVELS[session.seats[seat].level or ""].delay_ms, pace(game, session))


def pace(game: Game, session: Session) -> int:
    """Return the minimum delay before each move of a session's bots, in milliseconds."""
    wished = session.charter.bot_ms
    if wished is not None:
        return wished
    return game.pace_ms if any(seat.level is None for seat in session.seats) else 0


def in_order(game: Game, table: Table, due: Sequence[Turn], codes: Mapping[int, int | None]) -> list[Turn]:
    """Sort automatic actions by time.

    Simultaneous actions are in the order of `Turn.lot`, a random order of the seats. But moves that must wait for all
    other simultaneous moves come last (`Game.gives_way`). `codes` maps seats to their chosen moves.
    """

    def place(turn: Turn) -> tuple[int, bool, Turn]:
        code = codes.get(turn.seat)
        return turn.due, code is not None and game.gives_way(table, turn.seat, code), turn

    return sorted(due, key=place)


def actors(game: Game, table: Table | None, session: Session) -> list[int]:
    """Return the seats that must decide. The list is empty if the session is not running."""
    return game.actors(table) if table is not None and session.status == RUNNING else []


def standing_move(game: Game, table: Table, session: Session, seat: int) -> int | None:
    """Return the code of the move that a seat has chosen in advance for its current decision.

    A seat may choose several answers in advance. Use the first answer that fits the decision. Return None if no answer
    fits.
    """
    moves = (game.answer(table, seat, name) for name in session.standing[seat])
    return next((move for move in moves if move is not None), None)


def notifications(session: Session, anew: Collection[int]) -> list[str]:
    """Return webhook notifications for the seats in `anew`. These seats must make a new decision.

    Bots, and seats without an API key, get no notification. Each notification is a string of four values: session id,
    seat, decision and API key id.
    """
    seats = ((number, session.seats[number]) for number in sorted(anew))
    return [
        f"{session.id}/{number}/{decision(session, number)}/{seat.key}"
        for number, seat in seats
        if seat.key is not None and seat.level is None
    ]


NOTICE_ENDED: Final = "ended"
"""Kind of the webhook notification about an ended session."""

CLAIMED: Final = "claimed"
"""Kind of the webhook notification about a claimed seat."""

NEAR: Final = "near"
"""Kind of the webhook notification about a near deadline."""

MIN_WARNED_MS: Final = 60_000
"""Minimum time for a decision with a warning before the deadline, in milliseconds."""

MAX_WARNING_MS: Final = 3_600_000
"""Maximum time from the warning to the deadline, in milliseconds."""

WARNING_PART: Final = 4
"""Denominator of the fraction of a decision's time that is left at the warning. At most MAX_WARNING_MS are left."""


def announcements(session: Session, claimed: Collection[int]) -> list[str]:
    """Return the webhook notifications of claimed seats and of the session's end.

    `claimed` contains the claimed seats. The strings have the format of `notifications`.
    """
    founder = session.charter.founder
    # An earlier release of the scheduler may read these strings.
    found = [f"{session.id}/{number}/{CLAIMED}~/{founder}" for number in sorted(claimed) if founder is not None]
    if session.over:
        seats = {seat.key for seat in session.seats} | {founder}
        found += [f"{session.id}/0/{NOTICE_ENDED}~/{key}" for key in sorted(filter(None, seats))]
    return found


def warnings(session: Session, seats: Collection[int], now: int) -> list[str]:
    """Return the notifications that warn seats of a deadline.

    Each notification begins with the time at which it is sent, followed by "@".
    """
    found = list[str]()
    if session.charter.clock is None:
        return found
    for text in notifications(session, seats):
        session_id, number, decided, key = text.split("/")
        given = budget(session, int(number))
        if given < MIN_WARNED_MS:
            continue
        left = min(given // WARNING_PART, MAX_WARNING_MS)
        at = later(session, int(number), session.opened[int(number)], given - left)
        if at > now:
            found.append(f"{at}@{session_id}/{number}/{NEAR}~{decided}/{key}")
    return found


PUSH: Final = "push"
"""Marks a push notification (`push_notices`). A webhook notification has an API key id in its place."""

PUSH_DELAY_MS: Final = 5_000
"""Milliseconds from the opening of a decision to its push message. A person at the table has often decided by then."""


def push_notices(session: Session, anew: Collection[int], now: int) -> list[str]:
    """Return a push notification for each seat in `anew`. These seats must make a new decision.

    Each notification begins with the time at which it is sent, followed by "@".
    """
    return [
        f"{now + PUSH_DELAY_MS}@{session.id}/{seat}/{decision(session, seat)}/{PUSH}"
        for seat in sorted(anew)
        if session.push[seat] and session.seats[seat].level is None
    ]


def decision(session: Session, seat: int) -> str:
    """Return the operation id for an automatic move at a seat's current decision.

    The id is the same in all processes.
    """
    text = f"turn/{session.id}/{seat}/{session.versions[seat]}"
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()[:16]).rstrip(b"=").decode()
