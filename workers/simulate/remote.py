"""Plays games with remote bots, several at a time. Each decision of a remote bot is one signed request.

If a worker dies, its unfinished games are played again. A request that is sent again has the same `webhook-id` as
before.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from threading import Event, Lock
from typing import Any, Final

import anyio
import httpcore
import msgspec
from anyio.from_thread import BlockingPortal, start_blocking_portal

from games.core.game import Game, Move
from games.search.advise import Partial, Tick
from service.jobs.leases import Stopped
from service.jobs.players import BOT_ANSWER_BYTES, Player, RemoteBot
from service.snapshots.engine import validate_move
from service.snapshots.errors import SnapshotError
from service.snapshots.records import MoveCode
from service.validation import strict_json, structs
from service.validation.strict_json import UnfitJsonError
from service.webhooks.guard import Guard, NotPublic
from service.webhooks.messages import message_body, message_id
from service.webhooks.signing import headers
from service.webhooks.target import Target, target
from workers.simulate.batch import Decision, ForfeitedError, Schedule, SimulationWork
from workers.simulate.tally import Forfeit, GameResult

MOVE_ASKED_EVENT: Final = "move.asked"
"""Type of the message that requests a move from a remote bot."""

TIMEOUT: Final = "timeout"
UNREACHABLE: Final = "unreachable"
MALFORMED: Final = "malformed"
ILLEGAL: Final = "illegal"
"""Causes of a remote bot's forfeit: the constants from `TIMEOUT` to `ILLEGAL`."""

BOT_AGENT: Final = "Dorfplatz-Bots/1"
REMOTE_POLL_SECONDS: Final = 0.1
HTTP_OK: Final = 200
DETAIL_CHARACTERS: Final = 200

SILENT_GAMES: Final = 8
"""Number of games after which a job fails if a remote bot has never responded with a legal move."""


class SilentBotError(Exception):
    """A remote bot has forfeited several games and has never made a legal move."""

    def __init__(self, bot: RemoteBot, games: int, forfeit: Forfeit) -> None:
        super().__init__(bot.name)
        self.params = {"url": bot.name, "games": games, "cause": forfeit.cause, "detail": forfeit.detail}


@cache
def trusted() -> ssl.SSLContext:
    """Return a TLS context with the system's certificates. It is cached, because loading the certificates is slow."""
    return httpcore.default_ssl_context()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sender:
    """Sends the requests of a job to remote bots, and signs them with `secret`.

    If `private` is true, private addresses are allowed. Tests and closed networks need this.
    """

    job: str
    secret: str
    private: bool = False
    trust: ssl.SSLContext = field(default_factory=trusted)

    def pool(self, bot: RemoteBot) -> httpcore.AsyncConnectionPool:
        """Return the pool of connections to a bot."""
        backend = Guard(private=self.private)
        return httpcore.AsyncConnectionPool(
            ssl_context=self.trust, network_backend=backend, max_connections=bot.in_flight, keepalive_expiry=30
        )

    async def post(
        self, pool: httpcore.AsyncConnectionPool, place: Target, deadline: float, message: str, body: bytes
    ) -> tuple[int, bytes]:
        """Send a message. Return the status and the body of the response.

        If the body is too long, it is truncated. Raise TimeoutError if the response is not complete within `deadline`
        seconds.
        """
        signed = headers(message, int(time.time()), body, [self.secret])
        sent = {"host": place.netloc, "user-agent": BOT_AGENT, "content-type": "application/json", **signed}
        url = httpcore.URL(scheme=place.scheme, host=place.host, port=place.port, target=place.path)
        with anyio.fail_after(deadline):
            try:
                return await _exchange(pool, url, list(sent.items()), body)
            # An idle connection may break at any time, so retry once.
            except (httpcore.ReadError, httpcore.WriteError, httpcore.RemoteProtocolError):
                return await _exchange(pool, url, list(sent.items()), body)


class RemoteGames(SimulationWork):
    """Plays the games of a plan with remote bots."""

    def __init__(self, plan: Schedule, sender: Sender) -> None:
        super().__init__(plan)
        self._sender = sender
        self._bots = {bot: target(bot.url, private=sender.private) for bot in plan.bots if isinstance(bot, RemoteBot)}
        self._in_flight = min((bot.in_flight for bot in self._bots), default=1)
        self._pools: dict[RemoteBot, httpcore.AsyncConnectionPool] = {}
        self._portal: BlockingPortal | None = None
        self._requests: set[Future[tuple[int, bytes]]] = set()
        self._stopped = Event()
        self._thinking = Lock()
        self._answered: set[RemoteBot] = set()
        self._kinds = {str(kind.__struct_config__.tag): kind for kind in plan.game.moves}

    def play_some(self, first: int, end: int, seconds: float, beat: Callable[[], None]) -> list[bytes]:
        """Play the games from `first` to `end` - 1, and return their results.

        After `seconds`, start no more games, but finish the games that have begun. Raise SilentBotError if a bot has
        forfeited SILENT_GAMES games and has never made a legal move.
        """
        played: list[Future[GameResult]] = []
        until = time.monotonic() + seconds
        with self._connected(), ThreadPoolExecutor(self._in_flight) as threads:
            try:
                while True:
                    at_work = [game for game in played if not game.done()]
                    while len(at_work) < self._in_flight and first + len(played) < end and time.monotonic() < until:
                        game = threads.submit(self.play, first + len(played), self._look_up)
                        at_work.append(game)
                        played.append(game)
                    if not at_work:
                        break
                    wait(at_work, REMOTE_POLL_SECONDS, FIRST_COMPLETED)
                    beat()
                    self._check(played)
            finally:
                self._stop()
        return [msgspec.json.encode(game.result()) for game in played]

    @contextmanager
    def _connected(self) -> Iterator[None]:
        """Keep connections to the bots open inside the block.

        All requests must end before the block ends, because a later request could open a connection that nobody closes.
        """
        with start_blocking_portal() as self._portal:
            self._pools = {bot: self._sender.pool(bot) for bot in self._bots}
            try:
                yield
            finally:
                for pool in self._pools.values():
                    self._portal.call(pool.aclose)

    def _stop(self) -> None:
        self._stopped.set()
        for request in tuple(self._requests):
            request.cancel()

    def choose(self, bot: Player, decision: Decision, seed: int, look_up: Tick) -> int:
        """Return the code of a bot's move. Raise ForfeitedError if a remote bot sends no legal move."""
        if isinstance(bot, RemoteBot):
            look_up(0, 0, dict)
            code = self.answer(bot, decision)
            self._answered.add(bot)
            return code
        with self._thinking:  # one at a time: a search already delays the requests of other games
            return super().choose(bot, decision, seed, look_up)

    def answer(self, bot: RemoteBot, decision: Decision) -> int:
        """Request a move from a remote bot. Return the code of the move.

        Raise ForfeitedError if the bot sends no legal move.
        """
        return self.read(decision, self.ask(bot, decision, self.question(bot, decision)))

    def question(self, bot: RemoteBot, decision: Decision) -> dict[str, Any]:
        """Return the data of a request for a move."""
        return question(self.plan.game, self._sender.job, decision, bot.deadline_ms)

    def _look_up(self, _done: int, _total: int, _partial: Partial) -> None:
        if self._stopped.is_set():
            raise Stopped

    def _check(self, played: list[Future[GameResult]]) -> None:
        results = [game.result() for game in played if game.done()]
        for place, bot in enumerate(self.plan.bots):
            if not isinstance(bot, RemoteBot) or bot in self._answered:
                continue
            lost = [line.forfeit for line in results if line.forfeit and line.bots[line.forfeit.seat] == place]
            if len(lost) >= SILENT_GAMES:
                raise SilentBotError(bot, len(lost), lost[-1])

    def ask(self, bot: RemoteBot, decision: Decision, data: dict[str, Any], attempt: int = 0) -> bytes:
        """Request a move and return the response body. Raise ForfeitedError if the response is missing or unusable."""

        def forfeited(cause: str, detail: str = "") -> ForfeitedError:
            return ForfeitedError(Forfeit(decision.seat, cause, detail=detail))

        place = self._bots[bot]
        if place is None or self._portal is None:
            raise forfeited(UNREACHABLE, "no-public-address")
        body = question_body(data)
        matter = f"{self._sender.job}/{decision.game}/{decision.table.ply}/{decision.seat}"
        message = message_id(f"{matter}/{attempt}" if attempt else matter)
        request = self._portal.start_task_soon(
            self._sender.post, self._pools[bot], place, bot.deadline_ms / 1000, message, body
        )
        self._requests.add(request)
        if self._stopped.is_set():
            request.cancel()
        try:
            status, answer = request.result()
        except CancelledError:
            raise Stopped from None
        except (TimeoutError, httpcore.TimeoutException):
            raise forfeited(TIMEOUT) from None
        except NotPublic:
            raise forfeited(UNREACHABLE, "no-public-address") from None
        except (httpcore.NetworkError, httpcore.ProtocolError, OSError) as error:
            raise forfeited(UNREACHABLE, type(error).__name__) from None
        finally:
            self._requests.discard(request)
        if status != HTTP_OK:
            raise forfeited(MALFORMED, f"status {status}")
        if len(answer) > BOT_ANSWER_BYTES:
            raise forfeited(MALFORMED, f"more than {BOT_ANSWER_BYTES} bytes")
        return answer

    def read(self, decision: Decision, answer: bytes) -> int:
        """Return the code of the move in a response. Raise ForfeitedError if the response or the move is invalid."""
        seat = decision.seat
        try:
            said = self._parse(strict_json.parse(answer, strict_json.DEFAULT_BOUNDS))
        except structs.UnfitError as unfit:
            detail = f"{unfit.fault.reason} at {unfit.fault.pointer or '/'}"
            raise ForfeitedError(Forfeit(seat, MALFORMED, detail=detail[:DETAIL_CHARACTERS])) from None
        except UnfitJsonError as unfit:
            place = "".join(f" at {fault.pointer}" for fault in unfit.errors)
            detail = f"{'not JSON' if unfit.code == 'malformed-json' else unfit.code}{place}"
            raise ForfeitedError(Forfeit(seat, MALFORMED, detail=detail[:DETAIL_CHARACTERS])) from None
        try:
            return validate_move(self.plan.game, decision.table, seat, said, "en")
        except SnapshotError as refused:
            fault = refused.errors[0]
            detail = str(fault.params.get("sentence", fault.reason))
            raise ForfeitedError(Forfeit(seat, ILLEGAL, fault.rule or "", detail[:DETAIL_CHARACTERS])) from None

    def _parse(self, value: Any) -> Move | MoveCode:
        if type(value) is dict and set(value) == {"move"}:
            move: Move = structs.read_tagged(value["move"], "kind", self._kinds)
            return move
        code: MoveCode = structs.read(value, MoveCode)
        return code


def question(game: Game, job: str, decision: Decision, deadline_ms: int) -> dict[str, Any]:
    """Return the data of a request for a move: the seat's view and its legal moves."""
    table, seat = decision.table, decision.seat
    listed = [(code, game.decode(table, code)) for code in game.listing(table, seat)]
    return {
        "job": job,
        "game": game.slug,
        "ruleset": game.ruleset,
        "number": decision.game,
        "seat": seat,
        "deadline_ms": deadline_ms,
        "view": game.view(table, seat),
        "legal_moves": [{"code": code, "move": move, "index": game.actions.index(move)} for code, move in listed],
    }


def question_body(data: dict[str, Any]) -> bytes:
    """Return the body of a request for a move."""
    return message_body(MOVE_ASKED_EVENT, data, time.time_ns() // 1_000_000)


async def _exchange(
    pool: httpcore.AsyncConnectionPool, url: httpcore.URL, sent: list[tuple[str, str]], body: bytes
) -> tuple[int, bytes]:
    async with pool.stream("POST", url, headers=sent, content=body) as answer:
        found = b""
        async for chunk in answer.aiter_stream():
            found += chunk
            if len(found) > BOT_ANSWER_BYTES:
                break
        return int(answer.status), found
