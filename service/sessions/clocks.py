"""Clocks of sessions, which limit the time for a person's decision. A time bank is extra time.

A seat can use its time bank for any of its decisions, until the time bank is empty. A clock stops during pauses, during
vacations and outside daily hours. Times are in milliseconds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

import msgspec

from games.core.table import SPECTATOR
from service.settings import DAY_MS
from service.store.agreements import Hours
from service.store.sessions import UNDO_OFF, Clocks, Seat, Session, UndoRequest

SEALED_LEFT_MS: Final = 10_000
"""Time that a seat gets if its hidden answer is undone and no time is left on its clock.

After a hidden answer, the seat's clock runs on. If the clock stopped, other seats would see that the seat has answered.
"""

FOREVER_MS: Final = 2**53
MAX_KEPT_DAYS: Final = 1_024

Period = tuple[int, int]
"""Start and end of a period, in milliseconds since 1970."""


def periods(session: Session, seat: int, start: int, end: int) -> Iterator[Period]:
    """Yield the periods in which a seat's clock runs. They are in order, and lie between `start` and `end`."""
    rests = sorted((rest.start, rest.end) for rest in session.agreements.rests if rest.stops(seat))
    for opening, closing in _open_hours(session, start, end):
        at = opening
        for rest_start, rest_end in rests:
            if rest_end <= at or rest_start >= closing:
                continue
            if rest_start > at:
                yield at, rest_start
            at = rest_end
        if at < closing:
            yield at, closing


def elapsed(session: Session, seat: int, start: int, end: int) -> int:
    """Return the number of milliseconds that a seat's clock runs between `start` and `end`."""
    if _runs_always(session):
        return end - start
    return sum(closing - opening for opening, closing in periods(session, seat, start, end))


def later(session: Session, seat: int, start: int, duration: int) -> int:
    """Return the time at which a seat's clock has run for `duration` since `start`."""
    if _runs_always(session):
        return start + duration
    for opening, closing in periods(session, seat, start, FOREVER_MS):
        if closing - opening >= duration:
            return opening + duration
        duration -= closing - opening
    return FOREVER_MS


def earlier(session: Session, seat: int, end: int, duration: int) -> int:
    """Return the latest time `start` for which `elapsed(session, seat, start, end)` is `duration`.

    This function is the inverse of `later`.
    """
    if duration < 0:
        return later(session, seat, end, -duration)
    if _runs_always(session):
        return end - duration
    start = end - duration
    while elapsed(session, seat, start, end) < duration:
        start -= max(duration, DAY_MS)
    for opening, closing in reversed([*periods(session, seat, start, end)]):
        if closing - opening >= duration:
            return closing - duration
        duration -= closing - opening
    return start


def _runs_always(session: Session) -> bool:
    clock = session.charter.clock
    return not session.agreements.rests and (clock is None or clock.hours is None)


def _open_hours(session: Session, start: int, end: int) -> Iterator[Period]:
    clock = session.charter.clock
    if clock is None or clock.hours is None:
        yield start, end
        return
    calendar = session.calendar
    zone = ZoneInfo(clock.hours.time_zone)
    day = datetime.fromtimestamp(calendar.shown(start) / 1000, UTC).astimezone(zone).date() - timedelta(days=1)
    while True:
        opening, closing = map(calendar.meant, _hours_of(clock.hours, day))
        if opening >= end:
            return
        if closing > start:
            yield max(opening, start), min(closing, end)
        day += timedelta(days=1)


@lru_cache(MAX_KEPT_DAYS)
def _hours_of(hours: Hours, day: date) -> Period:
    last = day if hours.end > hours.start else day + timedelta(days=1)
    return _moment(hours, day, hours.start, fold=0), _moment(hours, last, hours.end, fold=1)


def _moment(hours: Hours, day: date, minutes: int, *, fold: int) -> int:
    local = datetime.combine(day, time(minutes // 60, minutes % 60, fold=fold), ZoneInfo(hours.time_zone))
    return round(local.timestamp() * 1000)


def budget(session: Session, seat: int) -> int:
    """Return the time for a person's decision, including the time bank. Return 0 if the session has no clock."""
    clock = session.charter.clock
    if clock is None:
        return 0
    return clock.move_ms + (session.banks[seat] if session.banks else 0)


def time_out_at(session: Session, seat: int) -> int:
    """Return the time at which a person's clock and time bank run out. Return 0 if the session has no clock."""
    if session.charter.clock is None:
        return 0
    return later(session, seat, session.opened[seat], budget(session, seat))


def first_clocks(session: Session) -> Session:
    """Return a copy of `session` in which all clocks have their initial values."""
    seats = len(session.seats)
    undoes, clock = session.charter.undo != UNDO_OFF, session.charter.clock
    return msgspec.structs.replace(
        first_banks(session),
        decided=(0,) * seats if undoes else (),
        late=(0,) * seats if clock is not None and clock.latency_ms else (),
    )


def first_banks(session: Session) -> Session:
    """Return a copy of `session` in which every time bank is full. Return `session` if it has no time banks."""
    clock, seats = session.charter.clock, len(session.seats)
    if clock is None or not clock.has_banks:
        return session
    return msgspec.structs.replace(session, banks=(clock.bank_ms,) * seats, answered=(0,) * seats)


class Lateness(NamedTuple):
    """Extra time for a move. It is not deducted from the time of the seat.

    `late_ms` is given because of network latency. `queued_ms` is given because the move waited inside the service.
    """

    late_ms: int = 0
    queued_ms: int = 0


ON_TIME: Final = Lateness()


def with_clocks(
    before: Session,
    actors_before: Collection[int],
    after: Session,
    actors_now: Collection[int],
    mover: int | None,
    now: int,
    given: Clocks | Lateness | None = None,
) -> Session:
    """Return the session `after` with updated clocks and time banks.

    `mover` is the seat that has moved. It is SPECTATOR for an undo, and None for all other changes. If the change is a
    move, `given` may contain the lateness of the move. If the change is an undo, `given` contains the clocks that the
    undo restores.
    """
    if isinstance(given, Clocks):
        return msgspec.structs.replace(after, **msgspec.structs.asdict(given))
    late_ms, queued_ms = given or ON_TIME
    opened = openings(before, actors_before, after, actors_now, mover, now)
    decided = _replaced(after.decided, mover, before.revision + 1)
    after = msgspec.structs.replace(after, opened=opened, decided=decided)
    if late_ms and mover is not None:
        late = _replaced(before.late, mover, before.late[mover] + late_ms)
        after = msgspec.structs.replace(after, late=late)
    if after.over or not before.banks:
        return after
    # Until a seat's next decision opens, its clock and bank do not change, because a change would reveal the answer.
    answered, banks = list(before.answered), list(before.banks)
    for seat in actors_before:
        if seat == mover:
            answered[seat] = now - queued_ms - late_ms
        elif seat not in actors_now:
            answered[seat] = -now
    for seat in new_decisions(before, actors_before, after, actors_now, mover):
        banks[seat] = _bank_after(before, seat, answered[seat], now)
        answered[seat] = 0
    return msgspec.structs.replace(after, banks=tuple(banks), answered=tuple(answered))


def _replaced(numbers: tuple[int, ...], seat: int | None, number: int) -> tuple[int, ...]:
    if not numbers or seat is None or seat == SPECTATOR:
        return numbers
    return (*numbers[:seat], number, *numbers[seat + 1 :])


def grace(session: Session, seat: int) -> int:
    """Return the extra time that a seat has for its decision after the deadline, in milliseconds.

    The extra time compensates for network latency.
    """
    clock = session.charter.clock
    if clock is None or not session.late:
        return 0
    return max(0, min(clock.latency_ms, clock.total_latency_ms - session.late[seat]))


def compensation(session: Session, seat: int, now: int) -> int:
    """Return the milliseconds of extra time that a seat uses if it decides at `now`.

    The extra time compensates for network latency.
    """
    clock = session.charter.clock
    if clock is None or not session.late:
        return 0
    # The server measures the time, and all seats have the same allowance, because clients could fake a measurement.
    beyond = elapsed(session, seat, session.opened[seat], now) - clock.move_ms
    return max(0, min(beyond, grace(session, seat)))


def refused_decisions(decided: tuple[int, ...], undo: UndoRequest | None) -> tuple[int, ...]:
    """Return `decided`, updated after the answer to an undo request.

    `decided` contains the revision of each seat's last decision. Usually, it stays unchanged. If the undo was denied,
    the revision of the requesting seat becomes negative. A decision with a negative revision cannot be undone.
    """
    if undo is None or not undo.denied:
        return decided
    # A decision with a negative revision can no longer be undone.
    return _replaced(decided, undo.seat, -undo.back_to - 1)


def resumed_clocks(then: Session, after: Session, stopped: int, now: int, *, sealed: bool) -> Clocks:
    """Return the clocks after an undo. The undo restores an old state of the session: the state `then`.

    `after` is the session after the undo, still without these clocks. The clocks stand still from `stopped` to
    `now`. `sealed` is true if the undone decision was hidden from the other seats.
    """
    changed = changed_hands(then.seats, after.seats)
    opened, answered = list(then.opened), list(then.answered)
    for seat, since in enumerate(then.opened):
        used = elapsed(after, seat, since, stopped)
        if since and seat in changed:
            # A seat with a new player gets the full time per move.
            opened[seat] = now
        elif since:
            most = budget(then, seat)
            # After a hidden answer, the clocks run on, because a stop would reveal the answer. A seat without time left
            # gets SEALED_LEFT_MS.
            used = most - SEALED_LEFT_MS if sealed and most and used > most else used
            opened[seat] = earlier(after, seat, now, used)
        if answered and answered[seat] and since:
            at = later(after, seat, opened[seat], elapsed(after, seat, since, abs(answered[seat])))
            answered[seat] = at if answered[seat] > 0 else -at
    return Clocks(
        opened=tuple(opened), banks=then.banks, answered=tuple(answered), decided=then.decided, late=then.late
    )


def _bank_after(session: Session, seat: int, answered: int, now: int) -> int:
    clock, since, bank = session.charter.clock, session.opened[seat], session.banks[seat]
    if clock is None or not since or session.seats[seat].level is not None:
        return bank
    used = elapsed(session, seat, since, abs(answered) or now) - clock.move_ms
    return max(bank - max(used, 0), 0) + (clock.increment_ms if answered > 0 else 0)


def openings(
    before: Session,
    actors_before: Collection[int],
    after: Session,
    actors_now: Collection[int],
    mover: int | None,
    now: int,
) -> tuple[int, ...]:
    """Return the start time of each seat's decision. `after` is the changed session.

    If a seat must decide now, its time is the start of this decision. Otherwise, its time is the start of its previous
    decision. If the session is over, all times are 0. `mover` is the seat that has moved. It is SPECTATOR for an undo,
    and None for all other changes.
    """
    if after.over:
        return (0,) * len(before.opened)
    anew = new_decisions(before, actors_before, after, actors_now, mover)
    return tuple(now if seat in anew else since for seat, since in enumerate(before.opened))


def new_decisions(
    before: Session, actors_before: Collection[int], after: Session, actors_now: Collection[int], mover: int | None
) -> set[int]:
    """Return the seats that must make a new decision after a change.

    `mover` is the seat that has moved. It is SPECTATOR for an undo, and None for all other changes.
    """
    if mover is not None and after.versions[SPECTATOR] != before.versions[SPECTATOR]:
        # After a public move or an undo, all decisions are new, because the situation has changed.
        return set(actors_now)
    # The seat has just moved, had no decision before, or has a new player.
    anew = {mover}.union(set(actors_now) - set(actors_before), changed_hands(before.seats, after.seats))
    return {seat for seat in actors_now if seat in anew}


def changed_hands(before: Sequence[Seat], after: Sequence[Seat]) -> set[int]:
    """Return the seats whose player has changed."""
    pairs = enumerate(zip(before, after, strict=True))
    return {
        number
        for number, (old, new) in pairs
        if (old.kind, old.level, old.assigned) != (new.kind, new.level, new.assigned)
    }


def must_log_clocks(session: Session) -> bool:
    """Return whether log entries must contain the clocks.

    This is necessary if the clocks run only during certain hours of the day. Such clocks depend on a calendar, so they
    cannot be computed from the log alone.
    """
    clock = session.charter.clock
    return clock is not None and clock.hours is not None
