"""Bots in seats: who is due, how the workers hear of it, and how a worker plays them.

A bot is owed a turn from the moment the script wrote so, whether or not a job came into the queue; the sweep finds
those that nobody is at. However many jobs there are for a turn, one of them holds it and the move is made once.
"""

from __future__ import annotations

import base64
import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import msgspec
import structlog
from redis import Redis
from redis.exceptions import RedisError
from rq import Queue
from rq.exceptions import DuplicateJobError
from rq.serializers import JSONSerializer

from games.core.game import Game, View
from service.sessions.chance import advice_seed
from service.sessions.desk import Desk, milliseconds
from service.sessions.errors import SessionOver, StaleVersion, TooManyWriters
from service.sessions.play import make_move
from service.sessions.reading import game_of, table_of
from service.sessions.turns import bot_turns
from service.store.sessions import Session, SessionStore
from workers import names
from workers.levels import LEVELS

HOLD_MS: Final = 8_000
"""How long a worker holds a session's bots without renewing."""

RENEW_MS: Final = 1_000
"""How often a worker in thought renews its hold, at most."""

SLICE_MS: Final = 20_000
"""How long one job plays a session's bots before others get a turn in the queue."""

JOB_SECONDS: Final = 600
"""When RQ ends a job by force; a slow decision without a compiler takes a minute."""

LATE_MS: Final = 3_000
"""How long a bot may be overdue before the sweep looks whether anybody is at it."""

SWEPT: Final = 200
"""How many sessions one sweep looks at."""

log = structlog.get_logger("service")

Tick = Callable[[int, int, Callable[[], dict[str, Any]]], None]
"""Is called several times a second by an adviser in thought."""

Choose = Callable[[Game, View, str, str, Tick], int]
"""Returns the code of the move for a seat's view at a level, from a seed."""


@dataclass(frozen=True, slots=True)
class BotTurn:
    """A decision that a bot has at a loaded session, and when its move may be published."""

    session: Session
    seat: int
    level: str
    due: int

    @property
    def operation(self) -> str:
        """Return the name of this move, the same for every job that makes it."""
        text = f"bot/{self.session.name}/{self.session.revision}/{self.seat}"
        return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()[:16]).rstrip(b"=").decode()


def caller(connection: Redis) -> Callable[[str, int], None]:
    """Return how the service tells the workers that a bot of a session is due."""

    def call(name: str, revision: int) -> None:
        try:
            _enqueue(connection, name, revision, 0)
        except RedisError as error:
            log.warning("bots not called", kind=type(error).__name__)

    return call


def requeue_owed(connection: Redis) -> None:
    """Queue again the turns of bots that are overdue while nobody is at them."""
    store, now = SessionStore(connection, 0), milliseconds()
    overdue = store.overdue(now - LATE_MS, SWEPT)
    if not overdue:
        return
    queue = Queue(names.PLAY, connection=connection, serializer=JSONSerializer)
    waiting = {ticket.rpartition("-")[0] for ticket in queue.get_job_ids()}
    for name in overdue:
        session, due = store.load(name), store.due(name)
        if session is None or due is None:
            store.forget(name)
        elif _ticket(name, session.revision) not in waiting and not store.held(name):
            _enqueue(connection, name, session.revision, max(1, (now - due) // LATE_MS))


def play(desk: Desk, name: str, choose: Choose, sleep: Callable[[float], None] = time.sleep) -> None:
    """Make every decision of a session's bots until a person must act, unless another worker does so."""
    mark = desk.entropy(8).hex()
    until = desk.now() + SLICE_MS
    while desk.store.due(name) is not None and desk.store.hold(name, mark, HOLD_MS):
        try:
            while (turn := next_turn(desk, name)) and desk.now() < until:
                _take(desk, turn, choose, sleep, _Renewal(desk, name, mark))
        finally:
            desk.store.release(name, mark)
        if turn is not None:
            desk.call_bots(name, turn.session.revision)
            return


def next_turn(desk: Desk, name: str) -> BotTurn | None:
    """Return the decision of the bot that is due first, or None where no bot has one."""
    session = desk.store.load(name)
    if session is None:
        desk.store.forget(name)
        return None
    for due, seat in bot_turns(session.charter, session.opened):
        return BotTurn(session, seat, session.charter.seats[seat].level or "", due)
    return None


def _take(desk: Desk, turn: BotTurn, choose: Choose, sleep: Callable[[float], None], tick: Tick) -> None:
    """Let an adviser choose by the seat's view alone, and publish its move when it is due."""
    session, seat = turn.session, turn.seat
    game = game_of(desk, session)
    seen = msgspec.json.encode(game.view(table_of(game, session), seat))
    view: View = msgspec.json.decode(seen, type=game.view_type)
    code = choose(game, view, turn.level, advice_seed(session.charter.key, session.revision, seat), tick)
    tick(0, 0, dict)
    # Never longer than the delay itself: the clock of the server that opened the decision may be ahead of ours.
    sleep(max(0, min(turn.due - desk.now(), LEVELS[turn.level].delay_ms)) / 1000)
    try:
        make_move(desk, session, seat, session.versions[seat], turn.operation, lambda _game, _table: code)
    except (StaleVersion, SessionOver, TooManyWriters) as overtaken:
        log.info("bot overtaken", kind=type(overtaken).__name__)


class _Renewal:
    """Renews the hold of a worker in thought."""

    def __init__(self, desk: Desk, name: str, mark: str) -> None:
        """Begin with a fresh hold."""
        self._desk, self._name, self._mark = desk, name, mark
        self._renewed = 0

    def __call__(self, done: int, total: int, partial: Callable[[], dict[str, Any]]) -> None:
        """Renew, if it is time."""
        now = self._desk.now()
        if now - self._renewed >= RENEW_MS:
            self._renewed = now
            self._desk.store.hold(self._name, self._mark, HOLD_MS)


def _ticket(name: str, revision: int) -> str:
    """Return what all jobs for one turn have in common."""
    return f"bots-{name}-{revision}"


def _enqueue(connection: Redis, name: str, revision: int, attempt: int) -> None:
    """Queue a job for a turn, unless that attempt at it is queued already."""
    ticket = f"{_ticket(name, revision)}-{attempt}"
    try:
        names.enqueue(connection, names.BOT_TURN, ticket, [name], JOB_SECONDS)
    except DuplicateJobError:
        return
