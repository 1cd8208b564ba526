"""Timers of sessions: timeouts, answers given in advance, absent seats, ends of pauses, and overdue bots.

Each action is done only once, even if two schedulers run its timer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import structlog
from redis import Redis
from redis.exceptions import RedisError
from rq import Queue
from rq.serializers import JSONSerializer

from games.core.game import Game
from service.jobs import queues
from service.sessions import bot_tasks
from service.sessions.absence import carry_on, pending_vote
from service.sessions.errors import OtherRuleset, SessionError, SessionUnreadable
from service.sessions.pauses import announce_ends
from service.sessions.play import Mover, make_move
from service.sessions.reading import find, game_of
from service.sessions.resign import time_out
from service.sessions.seating import hand_over
from service.sessions.services import SessionServices
from service.sessions.states import TableState, current_state
from service.sessions.turns import By, Turn, decision, in_order, patience, published_at, standing_move, turns
from service.store.bot_decisions import BotDecisionCache
from service.store.due import DueSets
from service.store.sessions import BOT_POLICY, FORFEIT_POLICY, Session
from workers.sessions import bot_turns
from workers.webhooks.notify import notify_of_session

LATE_MS: Final = 3_000
"""Delay from a bot's due time until a new task for the bot is queued, in milliseconds.

The service waits equally long between two attempts to run a due timer.
"""

RECHECK_MS: Final = 100
"""Milliseconds in which a bot's worker can make a due move. After that, the scheduler makes the move."""

SICK_MS: Final = 30_000
"""Pause before the next attempt after a failure in a session, in milliseconds."""

UNREADABLE_MS: Final = 3_600_000
"""Pause before an unreadable table is read again, in milliseconds. A newer release may be able to read it."""

MAX_SWEPT_SESSIONS: Final = 50
"""Maximum number of due sessions of each Redis bucket that are processed in one run."""

log = structlog.get_logger("service")

Call = Callable[[str, int, int], None]
"""A function that queues a session's bots again. It takes the session's id, its revision and the attempt's number."""


class RequeueBots:
    """Enqueues a task for each session with overdue bots. The task makes the moves of these bots.

    An object of this class reads the queue of waiting tasks only once. So it does not notice later changes of this
    queue. Use a new object for each call of `run_due_timers`.
    """

    def __init__(self, connection: Redis) -> None:
        self._connection = connection
        self._waiting: frozenset[str] | None = None

    def __call__(self, session_id: str, revision: int, attempt: int) -> None:
        """Enqueue a task that makes the moves of a session's bots.

        Do nothing if such a task is already in the queue.
        """
        # Read the queue only once.
        if self._waiting is None:
            self._waiting = self._prefixes()
        if bot_tasks.task_prefix(session_id) not in self._waiting:
            bot_tasks.enqueue(self._connection, session_id, revision, attempt)

    def _prefixes(self) -> frozenset[str]:
        queue = Queue(queues.PLAY, connection=self._connection, serializer=JSONSerializer)
        return frozenset(
            bot_tasks.task_prefix(task.split("-")[1]) for task in queue.get_job_ids() if task.startswith("bots-")
        )


def run_due_timers(services: SessionServices, call: Call) -> int:
    """Process due sessions and notifications, and return their number.

    The due entries are in several Redis buckets. Process at most MAX_SWEPT_SESSIONS entries of each bucket.
    """
    due = DueSets(services.store.client)
    found = due.before(services.now(), MAX_SWEPT_SESSIONS)
    for session_id, since in found:
        if "/" in session_id:
            _notify(services, session_id, since)
            due.forget(session_id)
            continue
        try:
            TimerSweep(services, due, call, session_id, since).deal()
        except RedisError:
            raise
        except SessionUnreadable:
            due.settle(session_id, services.store.revision(session_id), since, services.now() + UNREADABLE_MS)
        except Exception as error:  # noqa: BLE001 -- one broken session must not stop the clocks of all others
            log.error("session not dealt with", kind=type(error).__name__)  # noqa: TRY400
            due.settle(session_id, services.store.revision(session_id), since, services.now() + SICK_MS)
    return len(found)


def _notify(services: SessionServices, notification: str, since: int) -> None:
    """Queue the webhook message or push message for a notification.

    Raise RedisError if Redis fails. Any other error is only logged, because it must not stop the timers.
    """
    try:
        notify_of_session(services, notification, since)
    except RedisError:
        raise
    except Exception as error:  # noqa: BLE001 -- whatever it is, it would come up again each time
        log.error("webhooks not notified", kind=type(error).__name__)  # noqa: TRY400


class TimerSweep:
    """Runs the due timers of one session."""

    def __init__(self, services: SessionServices, due: DueSets, call: Call, session_id: str, since: int) -> None:
        self._services, self._due, self._call, self._session_id, self._since = services, due, call, session_id, since
        self._decisions = BotDecisionCache(services.store.client)
        self._published = 0

    def deal(self) -> None:
        """Run the due timers of the session. If they do not change the session, set the time of its next check."""
        session = find(self._services, self._session_id)
        if session is None:
            self._due.forget(self._session_id)
            return
        try:
            game = game_of(self._services, session)
        except OtherRuleset:
            self._due.settle(self._session_id, session.revision, self._since, self._services.now() + SICK_MS)
            return
        state = current_state(game, session)
        coming = turns(game, state.dealt, session)
        codes = self._decide(game, state, coming) if coming else {}
        order = in_order(game, state.table, coming, codes) if coming else []
        again = [self._deal(game, state, turn, codes) for turn in order]
        # A change has already updated the due time. Then the session has another revision, and this call does nothing.
        self._due.settle(self._session_id, session.revision, self._since, min(again, default=None))

    def _decide(self, game: Game, state: TableState, coming: list[Turn]) -> dict[int, int | None]:
        session = state.session
        bots = [turn for turn in coming if turn.by is By.BOT]
        seats = [turn.seat for turn in bots]
        kept = self._decisions.recall(self._session_id, [decision(session, seat) for seat in seats]) if seats else []
        decided = [each for each in kept if each is not None]
        if decided:
            slot = max(patience(game, session, seat) for seat in seats)
            self._published = published_at(bots[0].due, slot, decided)
        left = {
            turn.seat: standing_move(game, state.table, session, turn.seat) for turn in coming if turn.by is By.STANDING
        }
        return {**{seat: None if each is None else each.code for seat, each in zip(seats, kept, strict=True)}, **left}

    def _deal(self, game: Game, state: TableState, turn: Turn, codes: Mapping[int, int | None]) -> int:
        now = self._services.now()
        if turn.due > now:
            return turn.due
        try:
            match turn.by:
                case By.BOT:
                    return self._bot(state.session, turn, now, codes)
                case By.STANDING:
                    self._move(state.session, turn.seat, codes[turn.seat])
                case By.CLOCK:
                    self._end_time(game, state, turn)
                case By.ABSENCE:
                    self._end_absence(game, state, turn)
                case By.REST:
                    announce_ends(self._services, state.session)
        except SessionError as overtaken:
            log.info("overtaken", kind=type(overtaken).__name__, by=turn.by.value)
        return now + LATE_MS

    def _bot(self, session: Session, turn: Turn, now: int, codes: Mapping[int, int | None]) -> int:
        # The order of simultaneous moves depends on all of them. So a bot's move waits until all seats have chosen.
        held, late, code = self._decisions.is_leased(self._session_id), now - turn.due >= LATE_MS, codes[turn.seat]
        if code is not None and None not in codes.values():
            if now < self._published:
                return self._published
            if held and now - self._published < RECHECK_MS:
                return now + RECHECK_MS
            bot_turns.publish(self._services, self._decisions, session, turn.seat, code)
        elif code is None and late and not held:
            self._call(self._session_id, session.revision, (now - turn.due) // LATE_MS)
        return (now if late else turn.due) + LATE_MS

    def _end_time(self, game: Game, state: TableState, turn: Turn) -> None:
        session, clock, seat = state.session, state.session.charter.clock, turn.seat
        lapsed = game.timeout_move(state.table, seat)
        if lapsed is not None:
            self._move(session, seat, lapsed, Mover.CLOCK)
        elif clock is not None and clock.policy == BOT_POLICY:
            hand_over(self._services, session, seat, clock.level or "", decision(session, seat))
        elif clock is not None and clock.policy == FORFEIT_POLICY:
            time_out(self._services, session, turn, decision(session, seat))
        else:
            self._move(session, seat, bot_turns.any_move(game, state.table, session, seat), Mover.CLOCK)

    def _end_absence(self, game: Game, state: TableState, turn: Turn) -> None:
        session, seat = state.session, turn.seat
        vote = pending_vote(session)
        by_vote = vote is not None and vote.passed and vote.seat == seat
        lapsed = None if by_vote else game.timeout_move(state.table, seat)
        if lapsed is not None:
            self._move(session, seat, lapsed, Mover.CLOCK)
        else:
            carry_on(self._services, session, seat, decision(session, seat))

    def _move(self, session: Session, seat: int, code: int | None, by: Mover = Mover.SERVICE) -> None:
        if code is not None:
            decide = bot_turns.checked(seat, code)
            make_move(self._services, session, seat, session.versions[seat], decision(session, seat), decide, by=by)
