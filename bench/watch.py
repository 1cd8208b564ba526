"""Costs of spectators: streams open at one web process, moves at their sessions, and the delay of each event.

`python3 dev.py bench watch` starts a service of one web process and opens a stream for every seat of many sessions. It
makes moves at a steady rate, and records for every event the delay after the response to the move. Then as many long
polls wait in the streams' place. The clients are processes of their own, each with an address of its own.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import resource
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

import msgspec
import uvloop

from bench import machine
from bench.load import Line, press, request
from bench.sessions import SESSIONS, at_random, create_session, looker, move, play, session_request
from bench.town import WATCHED, Town, memory_of

SEATS: Final = 4
GAME: Final = "hoher-rat"
CONNECTING: Final = 100
"""Number of connections that a client process opens at once."""

STREAMS_OF_ONE: Final = 5_000
"""Maximum number of streams of a client process."""

MOVERS: Final = 32
"""Over how many lines moves are made."""

SETTLE_SECONDS: Final = 2.0

WAIT_SECONDS: Final = 25
"""The longest wait of a poll that the contract allows; a poll that ends without news is sent again."""

RESTING: Final = 0.15
"""Load of a core below which a web process has finished its earlier work; waiting streams take some."""

REST_SECONDS: Final = 60.0
"""Maximum time to wait for that."""

LOOKERS: Final = 16
"""Number of clients that request sessions as fast as they can; of four, all often waited at once beside streams."""

NO_NEWS: Final = b"HTTP/1.1 304"
OVERLOADED: Final = b"HTTP/1.1 503"
RETRY_SECONDS: Final = 1.0
"""Delay until a refused request is repeated: the least that `Retry-After` can ask for."""

NOTHING: Final = "nothing"
STREAMS: Final = "streams"


class Phase(msgspec.Struct, frozen=True, kw_only=True):
    """Measurements over some seconds of moves: rates a second, and ms from a move's response to its event."""

    moves: float
    events: float
    p50_ms: float
    p99_ms: float
    worst_ms: float
    missed: int
    views: float
    cores: dict[str, float]


class Round(msgspec.Struct, frozen=True, kw_only=True):
    """Views a second of clients without a pause, first without streams, then beside all."""

    without: float
    beside: float


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """One run, as it is stored in `bench/results`.

    `quiet` is without streams, `watched` with all of them, and both again beside clients that request views without a
    pause. `polled` is with a long poll in place of every stream, each of which is answered once. The phases are the
    first of the `rounds`; for the others streams are closed and opened again. With `apart` the streams are open at a
    second deployment, on cores of its own.
    """

    date: str
    machine: dict[str, str]
    load_before: float
    streams: int
    opened_seconds: float
    kib_each: float
    polls_opened_seconds: float
    kib_each_poll: float
    phases: dict[str, Phase]
    rounds: list[Round] = []
    apart: bool = False


@dataclass(frozen=True)
class Wishes:
    """The streams, the moves a second, the seconds of a phase, the rounds, and whether streams are deployed apart."""

    streams: int
    moves: float
    seconds: float
    rounds: int
    apart: bool


class SeatToken(NamedTuple):
    """The token of a seat at a session."""

    session: str
    seat: int
    token: str


class Ear(asyncio.Protocol):
    """One connection that sends a request and notes when what it waits for comes."""

    def __init__(self, sent: bytes, mark: bytes, opened: asyncio.Semaphore) -> None:
        """Take the request, the mark to count in the response, and a semaphore to release when it begins."""
        self._sent, self._mark, self._opened = sent, mark, opened
        self.transport: asyncio.Transport | None = None
        self.times: list[float] = []
        self.cursor = b""
        self.status = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send the request."""
        self.transport = cast("asyncio.Transport", transport)
        self.transport.write(self._sent)

    def data_received(self, data: bytes) -> None:
        """Count."""
        now = time.monotonic()
        if data.startswith(NO_NEWS) and self.transport is not None:
            self.transport.write(self._sent)
            return
        if data.startswith(OVERLOADED) and self.transport is not None:
            asyncio.get_running_loop().call_later(RETRY_SECONDS, self.transport.write, self._sent)
            return
        if not self.status:
            self.status = data[9:12]
            self._opened.release()
        self.times += [now] * data.count(self._mark)
        at = data.rfind(b"id: ")
        if at >= 0:
            self.cursor = data[at + 4 : data.index(b"\n", at)]

    def connection_lost(self, exc: Exception | None) -> None:
        """Note that nothing came."""
        if not self.status:
            self.status = b"---"
            self._opened.release()


def client(pipe: Connection, port: int, address: str, tokens: list[SeatToken]) -> None:
    """Open streams and then polls from one address, as the pipe asks."""
    uvloop.run(_client(pipe, port, address, tokens))


async def _client(pipe: Connection, port: int, address: str, tokens: list[SeatToken]) -> None:
    ears, cursors = list[Ear](), list[str]()
    loop = asyncio.get_running_loop()
    while order := await loop.run_in_executor(None, pipe.recv):
        if order == "times":
            pipe.send([ear.times for ear in ears])
            for ear in ears:
                ear.times = []
            continue
        cursors = [ear.cursor.decode() for ear in ears] or cursors
        for ear in ears:
            if ear.transport is not None:
                ear.transport.abort()
        ears = []
        if order == STREAMS:
            sent = [request("GET", f"{SESSIONS}/{each.session}/events", None, each.token) for each in tokens]
            ears = await _open(port, address, sent, b"event: change", count=True)
        elif order == "polls":
            sent = [
                request(
                    "GET",
                    f"{SESSIONS}/{each.session}?wait={WAIT_SECONDS}",
                    None,
                    each.token,
                    If_None_Match=_tag(each.seat, cursor),
                )
                for each, cursor in zip(tokens, cursors, strict=True)
            ]
            ears = await _open(port, address, sent, b"HTTP/1.1 200", count=False)
        # An open stream has begun its response; an open poll has none yet.
        pipe.send(sum(ear.status != (b"200" if order == STREAMS else b"") for ear in ears))


def _tag(seat: int, cursor: str) -> str:
    version, _, mark = cursor.partition("~")
    return f'"{version}.en.view@{seat}~{mark}"'


async def _open(port: int, address: str, requests: list[bytes], mark: bytes, *, count: bool) -> list[Ear]:
    loop, opened, ears = asyncio.get_running_loop(), asyncio.Semaphore(CONNECTING), list[Ear]()
    for sent in requests:
        await opened.acquire()
        ear = Ear(sent, mark, opened)
        await loop.create_connection(partial(_same, ear), "127.0.0.1", port, local_addr=(address, 0))
        if not count:
            opened.release()
        ears.append(ear)
    for _ in range(CONNECTING):
        await opened.acquire()
    return ears


def _same(ear: Ear) -> Ear:
    """Return the argument, because the loop requires a factory of protocols."""
    return ear


class Clients:
    """The client processes."""

    def __init__(self, port: int, tokens: list[SeatToken]) -> None:
        """Start them."""
        self._pipes, self._processes = list[Connection](), list[multiprocessing.Process]()
        context = multiprocessing.get_context("spawn")
        for number, start in enumerate(range(0, len(tokens), STREAMS_OF_ONE)):
            pipe, other = context.Pipe()
            some = tokens[start : start + STREAMS_OF_ONE]
            process = context.Process(target=client, args=(other, port, f"127.0.0.{number + 2}", some), daemon=True)
            process.start()
            self._pipes.append(pipe)
            self._processes.append(cast("multiprocessing.Process", process))

    def open(self, what: str) -> float:
        """Open streams or polls, or NOTHING, in place of the open ones, and return the duration in seconds."""
        began = time.monotonic()
        for pipe in self._pipes:
            pipe.send(what)
        refused = sum(pipe.recv() for pipe in self._pipes)
        if refused:
            raise RuntimeError(f"{refused} {what} were refused")
        return time.monotonic() - began

    def times(self) -> list[list[float]]:
        """Return the times of each stream's events, and forget them."""
        for pipe in self._pipes:
            pipe.send("times")
        return [times for pipe in self._pipes for times in pipe.recv()]

    def close(self) -> None:
        """End them."""
        for pipe in self._pipes:
            pipe.send("")
        for process in self._processes:
            process.join()


async def _create_sessions(port: int, number: int) -> list[dict[str, Any]]:
    async def some(count: int) -> list[dict[str, Any]]:
        async with await Line.to(port) as line:
            return [await create_session(line, session_request(GAME, SEATS)) for _ in range(count)]

    lines = 8
    parts = await asyncio.gather(*(some(number // lines + (each < number % lines)) for each in range(lines)))
    return [made for part in parts for made in part]


class Mover:
    """Makes the moves of one recorded play at all sessions in turn, at a steady rate."""

    def __init__(self, port: int, sessions: list[dict[str, Any]], moves: list[tuple[int, int, int]]) -> None:
        """Take the sessions, and each move's seat, version and code."""
        self._port, self._sessions, self._moves = port, sessions, moves
        self._made = 0
        self.answered: dict[int, list[float]] = {}

    async def run(self, rate: float, seconds: float) -> float:
        """Make moves for some seconds; note when each was answered, and return how many a second there were."""
        orders: asyncio.Queue[int | None] = asyncio.Queue()
        self.answered = {}

        async def mover() -> None:
            async with await Line.to(self._port) as line:
                while (number := await orders.get()) is not None:
                    turn, place = divmod(number, len(self._sessions))
                    answer = await line.ask(move(self._sessions[place], *self._moves[turn]))
                    if answer.status != 201:
                        raise RuntimeError(f"{answer.status} instead of 201: {answer.text[:300]!r}")
                    self.answered.setdefault(place, []).append(time.monotonic())

        movers = [asyncio.ensure_future(mover()) for _ in range(MOVERS)]
        began, first = time.monotonic(), self._made
        while (now := time.monotonic() - began) < seconds:
            while self._made - first < now * rate:
                orders.put_nowait(self._made)
                self._made += 1
            await asyncio.sleep(0.005)
        for _ in movers:
            orders.put_nowait(None)
        await asyncio.gather(*movers)
        return sum(map(len, self.answered.values())) / (time.monotonic() - began)


def run(wishes: Wishes, say: Callable[[str], None]) -> Result:
    """Measure everything."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < wishes.streams + 1_000:
        raise RuntimeError(f"{wishes.streams} streams need as many open files; the hard limit is {hard}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    load = os.getloadavg()[0]
    with (
        tempfile.TemporaryDirectory() as folder,
        Town(
            Path(folder),
            WEB_PROCESSES="1",
            LIMIT_STREAMS=str(wishes.streams + 100),
            apart=wishes.apart,
        ) as town,
    ):
        return asyncio.run(_measure(town, wishes, load, say))


async def _measure(town: Town, wishes: Wishes, load: float, say: Callable[[str], None]) -> Result:
    async with await Line.to(town.port) as line:
        recorded = await play(line, GAME, SEATS, lambda _name, _moves: None, at_random())
    sessions = await _create_sessions(town.port, wishes.streams // SEATS)
    say(f"{len(sessions)} sessions")
    tokens = [
        SeatToken(made["id"], number, seat["token"]) for made in sessions for number, seat in enumerate(made["seats"])
    ]
    mover, phases = Mover(town.port, sessions, recorded.moves), dict[str, Phase]()
    clients = await asyncio.to_thread(Clients, town.watch_port, tokens)
    web = dict(town.roots())[WATCHED if wishes.apart else "web"]

    async def measure(name: str, *, looking: bool) -> None:
        phases[name] = await _phase(town, mover, clients, wishes, looking=looking)
        say(f"{name}: {phases[name]}")

    async def views_beside(what: str) -> float:
        await asyncio.to_thread(clients.open, what)
        await _rest(town)
        return (await _phase(town, mover, clients, wishes, looking=True)).views

    await mover.run(wishes.moves, SETTLE_SECONDS)  # whatever is loaded late is loaded now
    await measure("quiet", looking=False)
    await measure("quiet, views", looking=True)
    before = memory_of(web)
    opened = await asyncio.to_thread(clients.open, STREAMS)
    kib = (memory_of(web) - before) * 1024 / wishes.streams
    say(f"opened in {opened:.1f} s, {kib:.1f} KiB each")
    await _rest(town)
    await measure("watched", looking=False)
    await measure("watched, views", looking=True)
    rounds = [Round(without=phases["quiet, views"].views, beside=phases["watched, views"].views)]
    for _ in range(wishes.rounds - 1):
        rounds.append(Round(without=await views_beside(NOTHING), beside=await views_beside(STREAMS)))
        say(f"{rounds[-1]}")
    # Otherwise, the process would close the streams in the time in which it opens the polls.
    await asyncio.to_thread(clients.open, NOTHING)
    await _rest(town)
    before = memory_of(web)
    polls_opened = await asyncio.to_thread(clients.open, "polls")
    await _rest(town)
    kib_poll = (memory_of(web) - before) * 1024 / wishes.streams + kib
    say(f"polls opened in {polls_opened:.1f} s, {kib_poll:.1f} KiB each")
    await measure("polled", looking=False)
    await asyncio.to_thread(clients.close)
    return Result(
        date=datetime.now(UTC).date().isoformat(),
        machine=machine.facts(),
        load_before=load,
        streams=wishes.streams,
        opened_seconds=opened,
        kib_each=kib,
        polls_opened_seconds=polls_opened,
        kib_each_poll=kib_poll,
        phases=phases,
        rounds=rounds,
        apart=wishes.apart,
    )


async def _rest(town: Town) -> None:
    until = time.monotonic() + REST_SECONDS
    resting = False
    while not resting and time.monotonic() < until:
        watch = town.watch()
        await asyncio.sleep(SETTLE_SECONDS)
        cores = watch.taken().cores
        resting = max(cores["web"], cores.get(WATCHED, 0.0)) < RESTING


async def _phase(town: Town, mover: Mover, clients: Clients, wishes: Wishes, *, looking: bool) -> Phase:
    await asyncio.to_thread(clients.times)
    watch = town.watch()
    views, moving = 0.0, asyncio.ensure_future(mover.run(wishes.moves, wishes.seconds))
    if looking:
        views = (await press([looker(town.port, unchanged=False)] * LOOKERS, wishes.seconds)).rate
    moves = await moving
    cores = watch.taken().cores
    await asyncio.sleep(SETTLE_SECONDS)
    heard = await asyncio.to_thread(clients.times)
    late, missed = list[float](), 0
    for place, answered in mover.answered.items():
        for times in heard[place * SEATS : place * SEATS + SEATS]:
            missed += len(answered) - len(times)
            late += [came - sent for came, sent in zip(times, sorted(answered), strict=False)]
    late.sort()
    return Phase(
        moves=moves,
        events=len(late) / wishes.seconds,
        p50_ms=_percentile(late, 0.5),
        p99_ms=_percentile(late, 0.99),
        worst_ms=_percentile(late, 1.0),
        missed=missed if late else 0,
        views=views,
        cores=cores,
    )


def _percentile(late: list[float], part: float) -> float:
    return late[min(len(late) - 1, int(part * len(late)))] * 1000 if late else 0.0
