"""Web processes of a simulation with their batches and streams, and callers that reach them over no line."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPConnection
from itertools import chain, repeat
from types import SimpleNamespace
from typing import Any, Final

import pytest

from service.app import create_app
from service.http.context import AppContext
from service.http.operation import AnyOperation
from service.http.pipeline import operations
from service.http.request import Request
from service.http.response import Response
from service.http.streaming import STREAMS, Stream
from service.server import batches
from service.server.batches import Batches
from service.settings import Settings
from service.store import feed
from service.waiting import Wait
from tests.faults import web_process
from tests.faults.kit import Answer, Caller, Exchange, Lost
from tests.faults.people import Ear
from tests.faults.simulation import Actor, Killed, World, current_actor, here
from tests.faults.virtual_loop import STREAM_THREADS, Streams, VirtualLoop
from tests.faults.virtual_threads import VirtualEvent, VirtualExecutor, VirtualThread, drive
from tests.launch.kit import PATIENCE_SECONDS
from tests.service.streams.hearing import parsed
from tests.toy import GAME

RETRIES_SECONDS: Final = (0.05, 0.4, 1.6, 3.2)
"""Pauses before a request is sent again; the last one repeats."""

THINK_SECONDS: Final = (0.6, 1.6, 4.0)
"""Maximum pauses of a reader without news before the next look; the last one repeats."""

DOZE_RATE: Final = 0.4
DOZE_SECONDS: Final = 30.0
"""Probability that a sleepy caller waits before a move, and for how long at most."""

QUIET_RATE: Final = 0.5
"""Probability that exchanges have no faults in that time, because delays count from the last fault."""


class WebProcess:
    """A web process: an application with its batches, its event loop and its reader of Redis."""

    def __init__(self, number: int, settings: Settings) -> None:
        self.name = f"web {number}"
        self.generation = 0
        self._settings = settings
        self._kept: list[Streams] = []  # dropping a stream would close it
        self._app = create_app(settings, {GAME.slug: GAME})

    @property
    def context(self) -> AppContext:
        found: AppContext = self._app.extensions["context"]
        return found

    def begin(self, world: World) -> None:
        """Start the process in a world."""
        self.world, self.generation = world, 0
        self.start()

    def close(self) -> None:
        """Drop what is left of a schedule."""
        for streams in self._kept:
            streams.close()
        self._kept.clear()

    def end(self, actor: Actor) -> None:
        """Replace the process of an actor that was killed. The new process remembers nothing."""
        if actor.condition is self.world.condition(self.name):
            self.world.replace(self.name)
            self.start()

    def start(self) -> None:
        self.generation += 1
        self.context.redis.close()
        self._app.extensions["context"] = AppContext(self._settings, {GAME.slug: GAME})
        loop = VirtualLoop(self.world, f"{self.name} loop {self.generation}", self.name)
        self.streams = Streams(loop, self._threads(STREAM_THREADS, "streams"), PATIENCE_SECONDS)
        self._kept.append(self.streams)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(batches, "asyncio", SimpleNamespace(get_running_loop=lambda: loop.for_batches))
            patch.setattr(batches, "ThreadPoolExecutor", self._threads)
            self._batches = {each: Batches(each) for each in operations(self._app)}

    def _threads(self, number: int, thread_name_prefix: str) -> VirtualExecutor:
        threads = VirtualExecutor(number, f"{self.name} {thread_name_prefix}")
        threads.on_death = self.end
        return threads

    def ask(
        self, method: str, path: str, body: Any, headers: dict[str, str], **more: Any
    ) -> tuple[web_process.Response, bytes]:
        """Return the response to a request and its body. Raise Killed if the process is killed meanwhile."""
        with web_process.ask(self._app, self._settle, method, path, body, headers, **more) as response:
            return response, b"".join(response.parts)

    def _settle(self, operation: AnyOperation, request: Request) -> Response:
        async def wait_for(wait: Wait) -> None:
            ended = VirtualEvent()
            wait.notify(ended.set)
            ended.wait(max(0.0, wait.left))

        found: Response = drive(self._batches[operation].answer(request, wait_for))
        return found

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Let the current actor be a thread of the process. Raise Lost if the process is killed meanwhile."""
        actor = current_actor()
        assert actor is not None
        with self.world.inside(self.name):
            try:
                yield
            except Killed:
                self.end(actor)
                self.world.revive()
                raise Lost from None

    def check_idle(self) -> None:
        """Check that nobody occupies the process after all clients have left."""
        slot = self.context.wait_slots
        assert not slot._all, f"{self.name}: {slot._all} wait slots are taken"
        held = self.context.broadcasts._found
        assert not held, f"{self.name}: {[(each.users, each._audiences, each._polls) for each in held.values()]}"


def thread_of(webs: Sequence[WebProcess]) -> Callable[..., VirtualThread]:
    """Return the class of threads in web processes. The death of such a thread is that of its process."""

    def end(actor: Actor) -> None:
        for web in webs:
            web.end(actor)

    class Thread(VirtualThread):
        on_death = staticmethod(end)

    return Thread


@dataclass(frozen=True)
class Look:
    """A long poll: the version that its caller knew, its times in milliseconds, and the status of its response."""

    version: int
    began: int
    ended: int
    status: int


class SimulatedCaller(Caller):
    """Sends requests to one of several web processes of a world, over no line."""

    def __init__(self, world: World, webs: Sequence[WebProcess], token: str | None = None) -> None:
        super().__init__(0, token)
        self._world, self._webs, self._looks = world, webs, 0
        self.polls: list[Look] = []
        self.is_sleepy = False

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        world = self._world
        if self.is_sleepy and path.endswith("/moves") and world.choice.random() < DOZE_RATE:
            self._doze()
        sent = {**self.bearer, **{name.replace("_", "-"): text for name, text in headers.items()}}
        exchange = Exchange(method, path, body, sent, world.moment())
        self.exchanges.append(exchange)
        web, began = world.choice.choice(self._webs), world.now
        with web.serving():
            response, text = web.ask(method, path, body, sent)
        exchange.answer = Answer(response.status, response.headers, json.loads(text) if text else None)
        exchange.ended = world.moment()
        assert response.status < 500 or response.status == 503, exchange
        self._rest(exchange, exchange.answer, began)
        return exchange.answer

    def _doze(self) -> None:
        world = self._world
        seconds = world.choice.random() * DOZE_SECONDS
        if world.choice.random() < QUIET_RATE:
            world.quiet_until = world.now + round(1000 * seconds)
        world.sleep(seconds)

    def _rest(self, exchange: Exchange, answer: Answer, began: int) -> None:
        world, is_poll = self._world, "wait=" in exchange.path
        known = exchange.headers.get("If-None-Match", '""').strip('"').partition(".")[0]
        if is_poll and known and answer.status in {200, 304}:
            self.polls.append(Look(int(known), began, world.now, answer.status))
        if answer.status != 304:
            self._looks = 0
        elif not is_poll:
            world.sleep(world.choice.random() * THINK_SECONDS[min(self._looks, len(THINK_SECONDS) - 1)])
            self._looks += 1

    def stream(self, path: str, headers: dict[str, str]) -> Generator[bytes]:
        """Open a stream and yield what is sent, as long as the web process lives; raise ConnectionError after that."""
        world, sent = self._world, {**self.bearer, **headers}
        web, streams = world.choice.choice(self._webs), list[Stream]()
        try:
            with web.serving():
                response, _ = web.ask("GET", path, None, sent, **{STREAMS: streams})
                assert response.status in {200, 503}, response.status
                for stream in streams:
                    with closing(web.streams.open(stream).chunks()) as chunks:
                        yield from chunks
        except Lost:
            raise ConnectionError from None

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> HTTPConnection:
        """Send a request, and return a connection whose response nobody reads."""
        try:
            self.ask(method, path, body, **headers)
        finally:
            self.exchanges[-1].answer = None
        return HTTPConnection("nowhere")

    def insist(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """Send a request again and again until it is answered by yes or no."""
        for pause in chain(RETRIES_SECONDS, repeat(RETRIES_SECONDS[-1])):
            with suppress(Lost):
                answer = self.ask(method, path, body, **headers)
                if not answer.vague:
                    return answer
            self._world.sleep(pause)
        raise AssertionError


class SimulatedEar(Ear):
    """Listens to a stream of a web process of a world, and notes the time of each message."""

    caller: SimulatedCaller
    times: list[int]
    began: int

    def listen(self) -> None:
        self.times, self.began = [], here().now
        super().listen()

    def messages(self, path: str, headers: dict[str, str]) -> Generator[dict[str, Any]]:
        """Open a stream and yield its messages; none where the service is away."""
        with closing(self.caller.stream(path, headers)) as chunks:
            self.streams += 1
            for chunk in chunks:
                yield from parsed(chunk.decode(), headers["Accept"])

    def moment(self) -> float:
        self.times.append(here().now)
        return here().moment()


def virtual_feed(patch: pytest.MonkeyPatch, webs: Sequence[WebProcess]) -> None:
    """Let the readers of Redis be actors."""
    patch.setattr(feed, "Event", VirtualEvent)
    patch.setattr(feed, "Thread", thread_of(webs))
    patch.setattr(feed, "FEED_TURN_SECONDS", FEED_TURN_SECONDS)


FEED_TURN_SECONDS: Final = 1.0
"""Maximum time that a reader waits for messages: longer than elsewhere, as each look takes a turn."""
