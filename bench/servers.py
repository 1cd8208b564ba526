"""Our service and boardgame.io's server under one load by one tool: `python3 dev.py bench servers`.

Both play Pebbles, the toy game of the tests; ours plays Der Hohe Rat besides. A server has one core, with its Redis and
workers, and the tool has another. So the work of a server in a second of its core's time can be measured.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Timer
from typing import Any, Final

import msgspec

from bench import machine
from bench.environment import HERE, provide, provide_node
from bench.load import Line
from bench.move_profile import profiled
from bench.rounds import on_core
from bench.sessions import MIDDLE, YARDSTICK, Play, at_random, play, session_request
from bench.town import CLIENT, OTHERS, Town, Watch
from service.launch.lifeline import start
from service.launch.redis import free_port

PEBBLES: Final = ("pebbles", 2)
HEAP: Final = {"heap": 40}
TOWN_WITH_PEBBLES: Final = ("service", "web", "--app", "tests.faults.hall:create_app")
WARM_SECONDS: Final = 3.0
READY_SECONDS: Final = 30.0
TOOL_SECONDS: Final = 180.0
"""Maximum additional time of the tool beyond the measurement; each of its requests may take a minute."""

ATTEMPTS: Final = 3
TOOL: Final = "Locust"
OURS: Final = "Dorfplatz"
THEIRS: Final = "boardgame.io"
MEMORY: Final = "memory"
FILES: Final = "files"


@dataclass(frozen=True)
class Load:
    """A load: the server, moves or views, their storage, and the tool's parameters."""

    server: str
    game: str
    what: str
    kept: str
    order: dict[str, Any]

    @property
    def title(self) -> str:
        """All of it in a line."""
        return f"{self.server}, {self.game}, {self.what}, {self.kept}"


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """One measurement in a round, counted from 1: requests a second, as the tool saw them, and the use of cores."""

    round: int = 1
    server: str
    game: str
    what: str
    kept: str
    per_second: float
    p50_ms: float
    p99_ms: float
    cores: dict[str, float]

    @property
    def served(self) -> float:
        """The part of a core that all processes of the server together have taken."""
        return sum(cores for part, cores in self.cores.items() if part not in {TOOL, CLIENT, OTHERS})

    @property
    def per_core(self) -> float:
        """Requests for each second of a core that the server has taken."""
        return self.per_second / self.served


class Failed(msgspec.Struct, frozen=True, kw_only=True):
    """A load that did not go through in its round, however often it was tried, and why."""

    round: int
    load: str
    why: str


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """One run, as it is kept in `bench/results`."""

    date: str
    machine: dict[str, str]
    versions: dict[str, str]
    load_before: float
    users: int
    rounds: int
    seconds: float
    found: list[Found]
    failed: list[Failed] = []
    shares: dict[str, dict[str, float]]


@dataclass(frozen=True)
class Wishes:
    """Duration of a measurement, number of rounds, and number of users at once."""

    seconds: float
    rounds: int
    users: int


class LoadFailed(Exception):
    """A load that did not go through without an error, with the error."""


class Tool:
    """Locust: it takes an order and reports the start of its measurement, and the results."""

    def __init__(self, core: int) -> None:
        """Install it; raise Missing where that fails."""
        self._python = str(provide("locust"))
        self._core = core
        self.version = ""

    def measure(self, load: Load, wishes: Wishes, roots: dict[str, int]) -> Found:
        """Put a load on a server; raise LoadFailed where anything went wrong with it."""
        told = {"users": "", "number": wishes.users, "seconds": wishes.seconds, "warm": WARM_SECONDS, **load.order}
        command = [self._python, str(HERE / "peers" / "locust_load.py"), json.dumps(told)]
        environment = {**os.environ, "PYTHONPATH": ""}
        with on_core(self._core):
            tool = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
            )
        with tool, limited(tool, wishes.seconds + TOOL_SECONDS):
            lines = iter(tool.stdout or ())
            next(lines, "")
            watch = Watch({**roots, TOOL: tool.pid})
            line = next(lines, "")
            taken = watch.taken()
        if not line or (answer := json.loads(line))["errors"]:
            raise LoadFailed(f"{answer['errors'][:3] if line else 'the tool ended early'}")
        self.version = answer["version"]
        found = Found(
            server=load.server,
            game=load.game,
            what=load.what,
            kept=load.kept,
            per_second=answer["per_second"],
            p50_ms=answer["p50_ms"],
            p99_ms=answer["p99_ms"],
            cores=taken.cores,
        )
        if not found.served:
            raise LoadFailed("the server has taken no processor time")
        return found


@contextmanager
def limited(process: subprocess.Popen[str], seconds: float) -> Iterator[None]:
    """End a process that takes longer."""
    timer = Timer(seconds, process.kill)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


class Peer:
    """boardgame.io's server, with its matches in memory or in files."""

    def __init__(self, process: subprocess.Popen[bytes], port: int, lobby: int, version: str) -> None:
        """Take a running one."""
        self.process, self.version = process, version
        self.order = {"url": f"http://127.0.0.1:{port}", "host": f"http://127.0.0.1:{lobby}", "middle": MIDDLE}


@contextmanager
def peer(folder: Path, program: Path, *more: str) -> Iterator[Peer]:
    """Run boardgame.io's server."""
    port, lobby = free_port(), free_port()
    log = folder / "peer.log"
    environment = {**os.environ, "NODE_ENV": "production"}
    process = start(["node", str(program), str(port), str(lobby), *more], env=environment, output=log, cwd=folder)
    try:
        until = time.monotonic() + READY_SECONDS
        while not (said := log.read_text().partition("\n"))[1]:
            if process.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"boardgame.io's server does not start: {log.read_text()}")
            time.sleep(0.05)
        yield Peer(process, port, lobby, json.loads(said[0])["version"])
    finally:
        process.kill()
        process.wait()


def run(wishes: Wishes, say: Callable[[str], None]) -> Result:
    """Measure everything; raise Missing where the tool or the peer cannot be had."""
    cores = sorted(os.sched_getaffinity(0))
    busy = os.getloadavg()[0]
    tool = Tool(cores[0])
    program = provide_node("boardgame_io", HERE.parent / "build" / "bench") / "server.js"
    with ExitStack() as stack:
        folders = [Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-"))) for _ in range(3)]
        with on_core(cores[-1]):
            town = stack.enter_context(Town(folders[0], web=TOWN_WITH_PEBBLES, WEB_PROCESSES="1"))
            peers = {
                MEMORY: stack.enter_context(peer(folders[1], program)),
                FILES: stack.enter_context(peer(folders[2], program, str(folders[2] / "matches"))),
            }
        pebbles, council = asyncio.run(recorded(town.port))
        loads = [*our_loads(town.port, pebbles, council), *their_loads(peers)]
        shares = profiled(town.url, council)  # first, for it may fail
        found = list(measured(partial(measure, town, peers, tool, wishes), loads, wishes.rounds, say))
    return Result(
        date=time.strftime("%Y-%m-%d", time.gmtime()),
        machine=machine.facts(),
        versions={TOOL: tool.version, THEIRS: peers[MEMORY].version},
        load_before=busy,
        users=wishes.users,
        rounds=wishes.rounds,
        seconds=wishes.seconds,
        found=[one for one in found if isinstance(one, Found)],
        failed=[one for one in found if isinstance(one, Failed)],
        shares=shares,
    )


def measure(town: Town, peers: dict[str, Peer], tool: Tool, wishes: Wishes, load: Load) -> Found:
    """Put a load on its server as it keeps its sessions; raise LoadFailed where anything went wrong with it."""
    if load.server == OURS:
        town.fsync(load.kept)
        return tool.measure(load, wishes, dict(town.roots()))
    return tool.measure(load, wishes, {THEIRS: peers[load.kept].process.pid})


def measured(
    measure: Callable[[Load], Found], loads: Sequence[Load], rounds: int, say: Callable[[str], None]
) -> Iterator[Found | Failed]:
    """Yield the result of every load, round by round; a failure does not affect the others."""
    for number in range(1, rounds + 1):
        for load in loads:
            for _ in range(ATTEMPTS):
                try:
                    found = msgspec.structs.replace(measure(load), round=number)
                except LoadFailed as problem:
                    why = str(problem)
                    say(f"round {number}: {load.title}: failed, because of {why}")
                else:
                    say(f"round {number}: {load.title}: {found.per_second:.0f}/s, {found.per_core:.0f} a core")
                    yield found
                    break
            else:
                yield Failed(round=number, load=load.title, why=why)


async def recorded(port: int) -> tuple[Play, Play]:
    """Return a game of Pebbles that takes pebbles one by one, and one of the yardstick at random."""
    async with await Line.to(port) as line:
        pebbles = await play(line, *PEBBLES, lambda *_: None, lambda moves: moves[0], options=HEAP)
        return pebbles, await play(line, *YARDSTICK, lambda *_: None, at_random())


def our_loads(port: int, pebbles: Play, council: Play) -> list[Load]:
    """Return the loads of our service."""
    loads = []
    for game, more in ((pebbles, {"options": HEAP}), (council, {})):
        order = our_order(port, game, more)
        policies = ("always", "no") if game is pebbles else ("always",)
        loads += [Load(OURS, game.game, "moves", kept, {**order, "users": "our moves"}) for kept in policies]
        for status in (304, 200):
            asked = {**order, "users": "our views", "expected": status}
            loads.append(Load(OURS, game.game, f"views answered {status}", "always", asked))
    return loads


def our_order(port: int, game: Play, more: dict[str, Any]) -> dict[str, Any]:
    """Return the tool's parameters to play a recorded game again."""
    return {
        "url": "",
        "host": f"http://127.0.0.1:{port}",
        "session": session_request(game.game, game.seats, **more),
        "moves": game.moves,
        "middle": MIDDLE,
    }


def their_loads(peers: dict[str, Peer]) -> list[Load]:
    """Return the loads of boardgame.io."""
    name = PEBBLES[0]
    moves = [Load(THEIRS, name, "moves", kept, {**one.order, "users": "their moves"}) for kept, one in peers.items()]
    views = {**peers[MEMORY].order, "users": "their views"}
    return [*moves, Load(THEIRS, name, "views", MEMORY, views)]
