"""Chooses and makes the moves of a session's bots. Only the worker with the lease on these bots does this.

If a task is lost, `workers.sessions.timers` notices that the bots are overdue.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

import msgspec
import structlog
from redis.exceptions import RedisError
from rq.timeouts import BaseTimeoutException

from games.core.dice import CHOICE
from games.core.game import Game, View
from games.core.table import Table
from service.sessions.chance import advice_seed, stray_dice
from service.sessions.errors import SessionError, SessionUnreadable
from service.sessions.play import Decide, Mover, abort, make_move
from service.sessions.reading import find, game_of
from service.sessions.services import SessionServices
from service.sessions.session_events import SessionBroken, to_all
from service.sessions.states import TableState, current_state
from service.sessions.turns import By, Turn, decision, in_order, patience, published_at, turns
from service.store import keys
from service.store.bot_decisions import BotDecision, BotDecisionCache
from service.store.due import DueSets
from service.store.leases import StoreLease
from service.store.sessions import Session

BOT_LEASE_MS: Final = 8_000
"""Lifetime of the lease on a session's bots if it is not renewed, in milliseconds."""

RENEW_MS: Final = 1_000
"""Minimum interval between renewals of the lease, in milliseconds."""

BOT_SLICE_MS: Final = 20_000
"""Milliseconds that a task spends on one session. The session is then queued again behind others."""

NAP_MS: Final = 20
"""Interval at which a waiting task checks for other tasks, in milliseconds."""

ADVICE_ATTEMPTS: Final = 3
"""Maximum number of failed searches for one move. After that, a random legal move is made instead."""

LAST_ATTEMPT: Final = 6
"""Maximum number of attempts at a move. After that, the session is ended without a result."""

log = structlog.get_logger("service")

Tick = Callable[[int, int, Callable[[], dict[str, Any]]], None]
"""A callback that a search calls several times a second."""

Choose = Callable[[Game, View, str, str, Tick], int]
"""A function that returns the code of a move for a seat's view. It also gets a level and a seed."""


class IllegalAdvice(Exception):
    """The chosen move is not legal."""


def play(
    services: SessionServices,
    session_id: str,
    choose: Choose,
    wanted: Callable[[], bool] = lambda: False,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Choose and make the moves of a session's bots until a person must act.

    Stop earlier if another worker has the lease on these bots, or if `wanted` returns True. `wanted` returns whether
    another task needs this worker.
    """
    try:
        # `wanted` means that another task needs the worker. Then the scheduler makes the moves that are already chosen.
        BotPlayer(services, session_id, choose, wanted, sleep).play()
    except SessionUnreadable:  # already logged; the scheduler retries
        return


def publish(
    services: SessionServices, decisions: BotDecisionCache, session: Session, seat: int, code: int
) -> Session | None:
    """Make the move that a bot has chosen. Return the session after the move, or None if the move fails."""
    made = None
    try:
        made = make_move(
            services,
            session,
            seat,
            session.versions[seat],
            decision(session, seat),
            checked(seat, code),
            by=Mover.SERVICE,
        ).session
    except SessionError as overtaken:
        log.info("bot overtaken", kind=type(overtaken).__name__)
    except RedisError:
        raise
    except Exception as error:  # noqa: BLE001 -- whatever is wrong with this decision, the next attempt is another
        log.error("bot's move failed", kind=type(error).__name__, game=session.charter.game)  # noqa: TRY400
        decisions.discard(session.id, decision(session, seat))
        return None
    decisions.forget(session.id, decision(session, seat))
    return made


def checked(seat: int, code: int) -> Decide:
    """Return a function that checks a move at a given table.

    If `code` is a legal move of `seat`, the function returns `code`. Otherwise, it raises IllegalAdvice.
    """

    def decide(game: Game, table: Table) -> int:
        if code not in game.legal(table, seat) and not _is_legal_content(game, table, seat, code):
            raise IllegalAdvice
        return code

    return decide


def _is_legal_content(game: Game, table: Table, seat: int, code: int) -> bool:
    """Return whether a move with a freely chosen text or drawing is legal.

    The list of legal moves cannot answer this, because it contains only examples of such moves.
    """
    try:
        move = game.decode(table, code)
    except ValueError:
        return False
    return isinstance(move, game.open_moves) and game.refuse(table, seat, move) is None


def any_move(game: Game, table: Table, session: Session, seat: int) -> int:
    """Return the code of a random move. All moves in the list of legal moves are equally likely."""
    codes = game.legal(table, seat)
    return codes[stray_dice(session.charter.key, seat, session.versions[seat]).below(len(codes), CHOICE)]


@dataclass(frozen=True, slots=True)
class PendingBots:
    """The bots that must move now in a session, and the moves that they have already chosen."""

    game: Game
    state: TableState
    turns: list[Turn]  # one per bot
    decided: list[BotDecision | None]  # one per bot, None before the choice
    # Time of the first advance answer of a person. If it is not later than `due`, the scheduler makes all these moves,
    # in the right order.
    standing: int | None

    @property
    def first(self) -> tuple[int, int]:
        """The seat that moves first, and the code of its move. Use this property only when all bots have chosen."""
        pairs = zip(self.turns, self.decided, strict=True)
        codes = {turn.seat: None if each is None else each.code for turn, each in pairs}
        first = in_order(self.game, self.state.table, self.turns, codes)[0]
        return first.seat, codes[first.seat] or 0

    @property
    def due(self) -> int:
        """The earliest time at which the chosen moves may be made, in milliseconds."""
        return published_at(self.turns[0].due, self.patience, [each for each in self.decided if each is not None])

    @property
    def patience(self) -> int:
        """The delay before these bots move, in milliseconds.

        Each bot has its own minimum delay. All of these bots wait for the longest of these delays.
        """
        return max(patience(self.game, self.state.session, turn.seat) for turn in self.turns)


class BotPlayer:
    """Chooses and makes the moves of the bots in one session."""

    def __init__(
        self,
        services: SessionServices,
        session_id: str,
        choose: Choose,
        wanted: Callable[[], bool],
        sleep: Callable[[float], None],
    ) -> None:
        self._services = services
        self._quiet = replace(services, enqueue_bot_turn=lambda *_: None)  # this task continues by itself
        self._session_id, self._choose, self._wanted, self._sleep = session_id, choose, wanted, sleep
        self._decisions, self._due = BotDecisionCache(services.store.client), DueSets(services.store.client)
        self._lease = StoreLease(services.store.client, keys.bots(session_id), services.entropy(8).hex(), BOT_LEASE_MS)
        self._renewed = 0

    def play(self) -> None:
        """Choose and make the moves of the session's bots until a person must act.

        Stop earlier if another worker has the lease on these bots, or if another task needs this worker.
        """
        until = self._services.now() + BOT_SLICE_MS
        while self._pending() and self._lease.take():
            try:
                go_on = self._turn(until)
            finally:
                self._lease.release()
            if not go_on:
                return

    def _turn(self, until: int) -> bool:
        while pending := self._pending():
            self._renew()
            unsettled = [turn for turn, each in zip(pending.turns, pending.decided, strict=True) if each is None]
            if unsettled:
                self._think(pending, unsettled[0].seat)
                continue
            sooner = pending.standing is not None and pending.standing <= pending.due
            if sooner or not self._awaited(pending.due, pending.patience):
                self._due.hasten(self._session_id, pending.due)
                return False
            seat, code = pending.first
            made = publish(self._quiet, self._decisions, pending.state.session, seat, code)
            if made and (self._services.now() >= until or self._wanted()) and self._pending():
                self._services.enqueue_bot_turn(self._session_id, made.revision)
                return False
        return True

    def _pending(self) -> PendingBots | None:
        session = find(self._services, self._session_id)
        if session is None:
            return None
        game = game_of(self._services, session)
        state = current_state(game, session)
        coming = turns(game, state.dealt, session)
        waiting = [turn for turn in coming if turn.by is By.BOT]
        if not waiting:
            return None
        decided = self._decisions.recall(self._session_id, [decision(session, turn.seat) for turn in waiting])
        standing = min((turn.due for turn in coming if turn.by is By.STANDING), default=None)
        return PendingBots(game, state, waiting, decided, standing)

    def _think(self, pending: PendingBots, seat: int) -> None:
        session, table, game = pending.state.session, pending.state.table, pending.game
        matter = decision(session, seat)
        asked = [decision(session, turn.seat) for turn in pending.turns]
        self._decisions.begin(self._session_id, asked, self._services.now())
        attempt = self._decisions.attempt(self._session_id, matter)
        if attempt > LAST_ATTEMPT:
            log.error("session given up", game=game.slug)
            abort(self._quiet, session, to_all(SessionBroken(seat=seat)))
            return
        if attempt > ADVICE_ATTEMPTS:
            code = any_move(game, table, session, seat)
        else:
            seen = msgspec.json.encode(game.view(table, seat))
            view: View = msgspec.json.decode(seen, type=game.view_type)
            seed = advice_seed(session.charter.key, seat, session.versions[seat])
            try:
                code = self._choose(game, view, session.seats[seat].level or "", seed, self._tick)
            except (BaseTimeoutException, RedisError):
                raise
            except Exception as error:  # noqa: BLE001 -- whatever an adviser's fault is, the session must go on
                log.error("adviser failed", kind=type(error).__name__, game=game.slug, attempt=attempt)  # noqa: TRY400
                return
        self._decisions.remember(self._session_id, matter, code, self._services.now())

    def _awaited(self, due: int, most: int) -> bool:
        # Never wait longer than the delay itself, because the clock of the server that opened the decision may be
        # ahead. Count the naps, because that clock may also be set back meanwhile.
        end = min(due, self._services.now() + most)
        while (left := min(end - self._services.now(), most)) > 0:
            if left > NAP_MS and self._wanted():
                return False
            self._renew()
            nap = min(left, NAP_MS)
            self._sleep(nap / 1000)
            most -= nap
        return True

    def _tick(self, done: int, total: int, partial: Callable[[], dict[str, Any]]) -> None:
        self._renew()

    def _renew(self) -> None:
        now = self._services.now()
        if abs(now - self._renewed) >= RENEW_MS:
            self._renewed = now
            self._lease.take()
