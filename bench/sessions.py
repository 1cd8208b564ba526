"""Costs and maximum number of sessions: `python3 dev.py bench sessions`, against a service of its own."""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
import uuid
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final

import msgspec

from bench import machine
from bench.load import Line, Tally, Worker, press, request, timed
from bench.town import Taken, Town
from games.core.registry import registered
from service.store import keys

SESSIONS: Final = "/v1/sessions"
YARDSTICK: Final = ("hoher-rat", 2)
MAX_MOVES: Final = 400
"""Maximum number of moves of a random game."""

MIDDLE: Final = 20
"""Number of moves after which a session counts as under way."""

POLICIES: Final = ("always", "everysec", "no")
MOVES: Final = "moves"
NAMED: Final = "moves, each with an Idempotency-Key"
UNCHANGED: Final = "views answered 304"
VIEWS: Final = "views answered 200"
TRANSITIONS: Final = "stateless transitions"
IDLE_SECONDS: Final = 15.0
CREATORS: Final = 20


class Rate(msgspec.Struct, frozen=True, kw_only=True):
    """One measurement of a load, with the use of cores by part."""

    what: str
    fsync: str
    per_second: float
    p50_ms: float
    p99_ms: float
    cores: dict[str, float]


class Footprint(msgspec.Struct, frozen=True, kw_only=True):
    """Bytes of Redis for a session: its state and its log, after a number of moves."""

    game: str
    seats: int
    moves: int
    state: int
    log: int


class Idle(msgspec.Struct, frozen=True, kw_only=True):
    """Costs of an idle service with a number of open sessions: cores, and MiB."""

    sessions: int
    cores: dict[str, float]
    memory: dict[str, float]
    redis_bytes: int


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """One run, as it is kept in `bench/results`."""

    date: str
    machine: dict[str, str]
    load_before: float
    sessions: int
    rounds: int
    seconds: float
    rates: list[Rate]
    footprints: list[Footprint]
    idle: list[Idle]
    after_load: dict[str, float] = msgspec.field(default_factory=dict)
    """MiB of each part when all loads were over."""


@dataclass(frozen=True)
class Play:
    """A game to be played again with the same seed: each move's seat, the seat's version before it, and its code."""

    game: str
    seats: int
    moves: list[tuple[int, int, int]]


@dataclass(frozen=True)
class Wishes:
    """Duration, number and size of the measurements."""

    seconds: float
    rounds: int
    sessions: int
    open_sessions: int


def run(wishes: Wishes, say: Callable[[str], None]) -> Result:
    """Measure everything."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        busy = os.getloadavg()[0]
        with Town(Path(folder)) as town:
            idle = list(_idle(town, wishes.open_sessions, say))
            town.redis.flushdb()
            footprints = [found for game, seats in sizes() for found in _footprints(town, game, seats, say)]
            rates = list(_rates(town, wishes, say))
            after_load = town.memory()
    return Result(
        date=time.strftime("%Y-%m-%d", time.gmtime()),
        machine=machine.facts(),
        load_before=busy,
        sessions=wishes.sessions,
        rounds=wishes.rounds,
        seconds=wishes.seconds,
        rates=rates,
        footprints=footprints,
        idle=idle,
        after_load=after_load,
    )


def sizes() -> Iterator[tuple[str, int]]:
    """Yield every game with its fewest and its most seats."""
    for slug, game in registered().items():
        yield from ((slug, seats) for seats in sorted({min(game.seat_numbers), max(game.seat_numbers)}))


def session_request(game: str, seats: int, **more: Any) -> dict[str, Any]:
    """Return the request for a session: always the same cards."""
    return {"game": game, "seats": [{"kind": "human"}] * seats, "seed": "bench", **more}


async def create_session(line: Line, body: dict[str, Any]) -> dict[str, Any]:
    """Found a session."""
    answer = await timed(line, request("POST", SESSIONS, body), 201, [])
    made: dict[str, Any] = answer.body
    return made


def move(made: dict[str, Any], seat: int, version: int, code: int, query: str = "", **headers: str) -> bytes:
    """Return the request that makes a move."""
    token = made["seats"][seat]["token"]
    match = {"If_Match": f'"{version}"', **headers}
    return request("POST", f"{SESSIONS}/{made['id']}/moves{query}", {"move": {"code": code}}, token, **match)


def view(made: dict[str, Any], seat: int = 0, query: str = "", **headers: str) -> bytes:
    """Return the request that looks at a session."""
    return request("GET", f"{SESSIONS}/{made['id']}{query}", None, made["seats"][seat]["token"], **headers)


Choose = Callable[[list[Any]], Any]
"""Takes one of several."""


def at_random() -> Choose:
    """Return a random chooser with a fixed seed."""
    choice: Choose = Random("bench").choice  # noqa: S311 -- plays at random, not in secret
    return choice


async def play(
    line: Line, game: str, seats: int, seen: Callable[[str, int], None], choose: Choose, **more: Any
) -> Play:
    """Play a session by random seats; `seen` is called now and then with its id and the number of moves."""
    ask = at_random()
    made, moves = await create_session(line, session_request(game, seats, **more)), list[tuple[int, int, int]]()
    seen(made["id"], 0)
    while len(moves) < MAX_MOVES:
        shown = (await timed(line, view(made, query="?expand=legal_moves"), 200, [])).body
        if shown["status"] != "running":
            break
        seat = ask(shown["actors"])
        if seat:
            shown = (await timed(line, view(made, seat, "?expand=legal_moves"), 200, [])).body
        if listed := shown["legal_moves"]["moves"]:
            code = choose(listed)["code"]
            await timed(line, move(made, seat, shown["version"], code), 201, [])
            moves.append((seat, shown["version"], code))
            if len(moves) == MIDDLE:
                seen(made["id"], MIDDLE)
    seen(made["id"], len(moves))
    return Play(game, seats, moves)


def _footprints(town: Town, game: str, seats: int, say: Callable[[str], None]) -> list[Footprint]:
    weighed = []

    def weigh(name: str, moves: int) -> None:
        state, log = (int(town.redis.memory_usage(key, samples=0) or 0) for key in (keys.session(name), keys.log(name)))
        weighed.append(Footprint(game=game, seats=seats, moves=moves, state=state, log=log))

    async def played() -> None:
        async with await Line.to(town.port) as line:
            await play(line, game, seats, weigh, at_random())

    asyncio.run(played())
    say(f"{game}, {seats} seats: {weighed[-1].state + weighed[-1].log:,} bytes after {weighed[-1].moves} moves")
    return weighed


def _rates(town: Town, wishes: Wishes, say: Callable[[str], None]) -> Iterator[Rate]:
    """Measure moves and views, round by round, so that a slow minute slows all of them."""
    script = asyncio.run(_recorded(town))
    transition = asyncio.run(_transition(town))
    loads = [
        *((MOVES, policy, mover(town.port, script, named=False)) for policy in POLICIES),
        (NAMED, "always", mover(town.port, script, named=True)),
        (UNCHANGED, "always", looker(town.port, unchanged=True)),
        (VIEWS, "always", looker(town.port, unchanged=False)),
        (TRANSITIONS, "always", sender(town.port, transition)),
    ]
    for number in range(wishes.rounds):
        for what, policy, worker in loads:
            town.fsync(policy)
            watch = town.watch()
            tally = asyncio.run(press([worker] * wishes.sessions, wishes.seconds))
            rate = _rate(what, policy, tally, watch.taken())
            say(f"round {number + 1}: {what}, fsync {policy}: {rate.per_second:.0f}/s")
            yield rate


def _rate(what: str, policy: str, tally: Tally, taken: Taken) -> Rate:
    return Rate(
        what=what,
        fsync=policy,
        per_second=tally.rate,
        p50_ms=tally.percentile(0.5),
        p99_ms=tally.percentile(0.99),
        cores=taken.cores,
    )


async def _recorded(town: Town) -> Play:
    async with await Line.to(town.port) as line:
        return await play(line, *YARDSTICK, lambda *_: None, at_random())


async def _transition(town: Town) -> bytes:
    game, seats = YARDSTICK
    path, choose = f"/v1/games/{game}", at_random()
    async with await Line.to(town.port) as line:

        async def told(what: str, body: dict[str, Any], expected: int = 200) -> dict[str, Any]:
            answer: dict[str, Any] = (await timed(line, request("POST", f"{path}/{what}", body), expected, [])).body
            return answer

        shown = await told("snapshots", {"seat_count": seats, "seed": "bench"}, 201)
        for _ in range(MIDDLE):
            seated = {"snapshot": shown["snapshot"], "seat": choose(shown["actors"])}
            sent = {**seated, "move": choose((await told("legal-moves", seated))["moves"])["move"]}
            shown = await told("moves", sent)
    return request("POST", f"{path}/moves", sent)


def sender(port: int, sent: bytes) -> Worker:
    """Return a client that sends one request again and again."""

    async def work(going: Callable[[], bool], took: list[float]) -> None:
        async with await Line.to(port) as line:
            while going():
                await timed(line, sent, 200, took)

    return work


def mover(port: int, script: Play, *, named: bool) -> Worker:
    """Return a client that plays sessions, one after the other, both seats in turn, each move as soon as it may."""

    async def work(going: Callable[[], bool], took: list[float]) -> None:
        async with await Line.to(port) as line:
            while going():
                made = await create_session(line, session_request(script.game, script.seats))
                for seat, version, code in script.moves:
                    if not going():
                        return
                    key = {"Idempotency_Key": str(uuid.uuid4())} if named else {}
                    await timed(line, move(made, seat, version, code, **key), 201, took)

    return work


def looker(port: int, *, unchanged: bool) -> Worker:
    """Return a client that looks at one session again and again, with the ETag that it has or without one."""

    async def work(going: Callable[[], bool], took: list[float]) -> None:
        async with await Line.to(port) as line:
            made = await create_session(line, session_request(*YARDSTICK))
            sent, expected = view(made), 200
            if unchanged:
                head = (await line.ask(sent)).head.decode().lower()
                tag = head.partition("etag: ")[2].partition("\r\n")[0]
                sent, expected = view(made, If_None_Match=tag), 304
            while going():
                await timed(line, sent, expected, took)

    return work


def _idle(town: Town, sessions: int, say: Callable[[str], None]) -> Iterator[Idle]:
    asyncio.run(_warm(town))
    for number in (0, sessions):
        asyncio.run(_create_many(town, number))
        time.sleep(2)
        watch = town.watch()
        time.sleep(IDLE_SECONDS)
        used = int(town.redis.info("memory")["used_memory"])
        yield Idle(sessions=number, cores=watch.taken().cores, memory=town.memory(), redis_bytes=used)
        say(f"idle with {number} sessions: measured")


async def _warm(town: Town) -> None:
    """Let every process have done everything once, so that what it loads late is no cost of sessions."""
    await _create_many(town, 4 * CREATORS)
    town.redis.flushdb()


async def _create_many(town: Town, number: int) -> None:
    body = session_request(*YARDSTICK, clock={"move_ms": 86_400_000, "policy": "random"})
    left = iter(range(number))

    async def some(line: Line) -> None:
        for _ in left:
            await timed(line, view(await create_session(line, body)), 200, [])

    async with AsyncExitStack() as stack:
        lines = [await stack.enter_async_context(await Line.to(town.port)) for _ in range(CREATORS)]
        creators: list[Awaitable[None]] = [some(line) for line in lines]
        await asyncio.gather(*creators)
