"""Automatic actions at a session and their times: bots' moves, standing answers, and timeouts of persons."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

import msgspec

from games.core.dice import CHOICE
from games.core.game import Game
from games.core.levels import LEVELS
from games.core.table import SPECTATOR, Table
from service.sessions.chance import lots, pause_dice
from service.store.bot_decisions import BotDecision
from service.store.sessions import RUNNING, Clocks, Seat, Session

STANDING_MS: Final = (500, 4_000)
"""Range of the random delay of a standing answer after its decision opened, like that of a person."""


SEALED_LEFT_MS: Final = 10_000
"""Time for a seat whose sealed answer is undone after its time has visibly run out."""


class By(Enum):
    """The maker of an automatic move."""

    BOT = "bot"
    STANDING = "standing"
    CLOCK = "clock"


@dataclass(frozen=True, slots=True, order=True)
class Turn:
    """An automatic decision for a seat: its time, its seat, and its maker.

    `lot` is the seat's random place among simultaneous decisions.
    """

    due: int
    lot: int
    seat: int
    by: By = field(compare=False)


def turns(game: Game, table: Table | None, session: Session) -> list[Turn]:
    """Return the automatic actions of a session in order; none before its table is dealt.

    Bots that decide simultaneously move together, when the slowest of them may, in the order of the lots.
    """
    found = list[tuple[int, int, By]]()
    seats = actors(game, table, session)
    if table is None or not seats:
        return []
    ready = {seat: session.opened[seat] + patience(game, session, seat) for seat in seats if session.seats[seat].level}
    for seat in seats:
        since = session.opened[seat]
        if seat in ready:
            found.append((max(ready.values()), seat, By.BOT))
        elif standing_move(game, table, session, seat) is not None:
            found.append((since + standing_ms(game, session, seat), seat, By.STANDING))
        elif session.charter.clock is not None:
            found.append((time_out_at(session, seat), seat, By.CLOCK))
    if not found:
        return []
    places = lots(session.charter.key, session.versions[SPECTATOR], len(session.seats))
    return sorted(Turn(due, places[seat], seat, by) for due, seat, by in found)


def time_out_at(session: Session, seat: int) -> int:
    """Return when a person's time for a decision runs out, including the bank; 0 without a clock."""
    clock = session.charter.clock
    if clock is None:
        return 0
    return session.opened[seat] + clock.move_ms + (session.banks[seat] if session.banks else 0)


def standing_ms(game: Game, session: Session, seat: int) -> int:
    """Return the delay of a seat's standing answer after its decision opened, in milliseconds.

    The delay is drawn for the decision, independent of the answer. It ends before bots move that give people time to
    think, and before the clock runs out.
    """
    low, high = STANDING_MS
    if low <= pace(game, session) < high:
        high = pace(game, session)
    if session.charter.clock is not None:
        high = min(high, session.charter.clock.move_ms // 2)
    low = min(low, high // 2)
    return low + pause_dice(session.charter.key, seat, session.versions[seat]).below(high - low + 1, CHOICE)


def published_at(due: int, slot: int, decisions: Sequence[BotDecision]) -> int:
    """Return when bots with simultaneous decisions may publish them; all numbers are milliseconds.

    They publish no earlier than `due`, and no earlier than `slot` after their searches began. Longer searches wait for
    the next whole slot, so that the time reveals only the number of slots.
    """
    first = max(due, min(each.began for each in decisions) + slot)
    late = max(each.ended for each in decisions) - first
    return first if late <= 0 else first + -(-late // slot) * slot


def patience(game: Game, session: Session, seat: int) -> int:
    """Return the minimum delay of the bot at a seat, in milliseconds."""
    return max(LEVELS[session.seats[seat].level or ""].delay_ms, pace(game, session))


def pace(game: Game, session: Session) -> int:
    """Return the minimum delay of every bot of a session, in milliseconds.

    It is the founder's setting, or by default the game's delay while a person plays.
    """
    wished = session.charter.bot_ms
    if wished is not None:
        return wished
    return game.pace_ms if any(seat.level is None for seat in session.seats) else 0


def in_order(game: Game, table: Table, due: Sequence[Turn], codes: Mapping[int, int | None]) -> list[Turn]:
    """Return turns in the order of execution: simultaneous turns follow the lots, and moves that give way come last.

    `codes` are the moves of the seats that have decided.
    """

    def place(turn: Turn) -> tuple[int, bool, Turn]:
        code = codes.get(turn.seat)
        return turn.due, code is not None and game.gives_way(table, turn.seat, code), turn

    return sorted(due, key=place)


def actors(game: Game, table: Table | None, session: Session) -> list[int]:
    """Return the seats that have a decision; none unless the session is running."""
    return game.actors(table) if table is not None and session.status == RUNNING else []


def standing_move(game: Game, table: Table, session: Session, seat: int) -> int | None:
    """Return the move of a seat's first standing answer that fits, or None."""
    moves = (game.answer(table, seat, name) for name in session.standing[seat])
    return next((move for move in moves if move is not None), None)


def first_banks(session: Session) -> Session:
    """Return a new session with its initial banks, if its clock has any."""
    clock, seats = session.charter.clock, len(session.seats)
    if clock is None or not clock.has_banks:
        return session
    return msgspec.structs.replace(session, banks=(clock.bank_ms,) * seats, answered=(0,) * seats)


def with_clocks(
    before: Session,
    actors_before: Collection[int],
    after: Session,
    actors_now: Collection[int],
    mover: int | None,
    now: int,
    restored: Clocks | None = None,
) -> Session:
    """Return a session after a change, with its openings and its banks.

    `mover` made the move, if any. For an undo it is SPECTATOR, and the clocks are `restored`.

    Time beyond the time per move is deducted from the bank when the seat's next decision opens. `openings` also stay
    unchanged when a seat answers. So neither reveals which seats have answered.
    """
    if restored is not None:
        return msgspec.structs.replace(after, **msgspec.structs.asdict(restored))
    opened = openings(before, actors_before, after, actors_now, mover, now)
    if after.over or not before.banks:
        return msgspec.structs.replace(after, opened=opened)
    answered, banks = list(before.answered), list(before.banks)
    for seat in actors_before:
        if seat == mover:
            answered[seat] = now
        elif seat not in actors_now:
            answered[seat] = -now
    for seat in new_decisions(before, actors_before, after, actors_now, mover):
        banks[seat] = _bank_after(before, seat, answered[seat], now)
        answered[seat] = 0
    return msgspec.structs.replace(after, opened=opened, banks=tuple(banks), answered=tuple(answered))


def resumed_clocks(then: Session, after: Session, stopped: int, now: int, *, sealed: bool) -> Clocks:
    """Return the clocks of an earlier state of a session, stopped at a time and running again from now.

    Each seat has the time that it had at `stopped`. A seat that changed hands since then gets the full time per move.
    The clock of a `sealed` answer visibly ran on until `stopped`, so such a seat gets at least SEALED_LEFT_MS.
    """
    pause, changed = now - stopped, changed_hands(then.seats, after.seats)
    opened = [since + pause if since else 0 for since in then.opened]
    for seat, since in enumerate(then.opened):
        if since and seat in changed:
            opened[seat] = now
        elif since and sealed and then.charter.clock is not None:
            spare = time_out_at(then, seat) + pause - now
            opened[seat] += max(0, SEALED_LEFT_MS - spare) if spare < 0 else 0
    answered = tuple(at + pause if at > 0 else at - pause if at < 0 else 0 for at in then.answered)
    return Clocks(opened=tuple(opened), banks=then.banks, answered=answered)


def _bank_after(session: Session, seat: int, answered: int, now: int) -> int:
    clock, since, bank = session.charter.clock, session.opened[seat], session.banks[seat]
    if clock is None or not since or session.seats[seat].level is not None:
        return bank
    used = (abs(answered) or now) - since - clock.move_ms
    return max(bank - max(used, 0), 0) + (clock.increment_ms if answered > 0 else 0)


def openings(
    before: Session,
    actors_before: Collection[int],
    after: Session,
    actors_now: Collection[int],
    mover: int | None,
    now: int,
) -> tuple[int, ...]:
    """Return the opening time of each seat's current or last decision, after a change; `mover` as in `with_clocks`.

    A decision is new for a seat that had none before, that has just moved, or that changed hands. A public move or an
    undo makes all decisions new, since the situation has changed.
    """
    if after.over:
        return (0,) * len(before.opened)
    anew = new_decisions(before, actors_before, after, actors_now, mover)
    return tuple(now if seat in anew else since for seat, since in enumerate(before.opened))


def new_decisions(
    before: Session, actors_before: Collection[int], after: Session, actors_now: Collection[int], mover: int | None
) -> set[int]:
    """Return the seats with a new decision, by the rule of `openings`."""
    if mover is not None and after.versions[SPECTATOR] != before.versions[SPECTATOR]:
        return set(actors_now)
    anew = {mover}.union(set(actors_now) - set(actors_before), changed_hands(before.seats, after.seats))
    return {seat for seat in actors_now if seat in anew}


def notifications(session: Session, anew: Collection[int]) -> list[str]:
    """Return the webhook notifications of seats with a new decision, for the due set.

    Only persons' seats whose token was given to an API key have notifications. Each holds session, seat, decision and
    key.
    """
    seats = ((number, session.seats[number]) for number in sorted(anew))
    return [
        f"{session.id}/{number}/{decision(session, number)}/{seat.key}"
        for number, seat in seats
        if seat.key is not None and seat.level is None
    ]


NOTICE_ENDED: Final = "ended"
CLAIMED: Final = "claimed"
NEAR: Final = "near"
"""Subjects of notifications other than a new decision, written before the decision or in its place."""

MIN_WARNED_MS: Final = 60_000
MAX_WARNING_MS: Final = 3_600_000
WARNING_PART: Final = 4
"""Warnings are sent when a quarter of the time is left, at most an hour before; only for clocks of a minute or more."""


def announcements(session: Session, claimed: Collection[int]) -> list[str]:
    """Return the webhook notifications of claimed seats and of the end, in the format of `notifications`.

    The founder's key is notified of claims. At the end, the founder's key and the keys of all seats are notified. Older
    schedulers treat each notification as a new decision.
    """
    founder = session.charter.founder
    found = [f"{session.id}/{number}/{CLAIMED}~/{founder}" for number in sorted(claimed) if founder is not None]
    if session.over:
        seats = {seat.key for seat in session.seats} | {founder}
        found += [f"{session.id}/0/{NOTICE_ENDED}~/{key}" for key in sorted(filter(None, seats))]
    return found


def warnings(session: Session, seats: Collection[int], now: int) -> list[str]:
    """Return the notifications of seats' deadlines, each prefixed with the warning time and an @."""
    found = list[str]()
    if session.charter.clock is None:
        return found
    for text in notifications(session, seats):
        session_id, number, decided, key = text.split("/")
        end = time_out_at(session, int(number))
        given = end - session.opened[int(number)]
        if given < MIN_WARNED_MS:
            continue
        at = end - min(given // WARNING_PART, MAX_WARNING_MS)
        if at > now:
            found.append(f"{at}@{session_id}/{number}/{NEAR}~{decided}/{key}")
    return found


PUSH: Final = "push"
"""The recipient of a notification for a seat's push subscription, in place of a key."""

PUSH_DELAY_MS: Final = 5_000
"""Time from a decision's opening to its push message, within which a person at the table has often decided."""


def push_notices(session: Session, anew: Collection[int], now: int) -> list[str]:
    """Return the notifications of persons' seats with a new decision and a push subscription, as `warnings` does."""
    return [
        f"{now + PUSH_DELAY_MS}@{session.id}/{seat}/{decision(session, seat)}/{PUSH}"
        for seat in sorted(anew)
        if session.push[seat] and session.seats[seat].level is None
    ]


def changed_hands(before: Sequence[Seat], after: Sequence[Seat]) -> set[int]:
    """Return the seats whose player has changed."""
    pairs = enumerate(zip(before, after, strict=True))
    return {
        number
        for number, (old, new) in pairs
        if (old.kind, old.level, old.assigned) != (new.kind, new.level, new.assigned)
    }


def decision(session: Session, seat: int) -> str:
    """Return the operation name of an automatic move for a seat's current decision, the same in all processes."""
    text = f"turn/{session.id}/{seat}/{session.versions[seat]}"
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()[:16]).rstrip(b"=").decode()
