"""The effect of a slow request on fast callers: `python3 dev.py bench neighbours`, against one web process."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import median
from typing import Final

from bench.load import Line, Worker, press, timed
from bench.sessions import YARDSTICK, Play, at_random, create_session, move, play, session_request, view
from bench.town import Town
from service.auth.api_keys import SCOPES, KeyStore

WORDS: Final = ("barbarossa", 3)
"""A game of words: up to 2,542 moves are legal at once."""

MODELS: Final = 3
"""Moves of the game of words before anybody may guess."""

EXPAND: Final = "?expand=legal_moves"
REQUESTS_PER_MINUTE: Final = 1_000_000
NO_NEIGHBOURS: Final = "alone"
EXPANDED_VIEWS: Final = "a view of the game of words, expanded"
EXPANDED_MOVES: Final = "moves of the game of words, expanded"


@dataclass(frozen=True)
class Wishes:
    """Seconds of a measurement, rounds, and fast callers at once."""

    seconds: float
    rounds: int
    callers: int


def run(wishes: Wishes, say: Callable[[str], None]) -> dict[tuple[str, str], float]:
    """Return the median p99 in ms of fast callers, by their credential and by the slow request beside them."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder, Town(Path(folder), WEB_PROCESSES="1") as town:
        _, key = KeyStore(town.redis).add("bench", SCOPES, requests_per_minute=REQUESTS_PER_MINUTE)
        fast = {"no key": viewer(town.port), "API key": viewer(town.port, Api_Key=key)}
        slow = {NO_NEIGHBOURS: None, **dict(slow_requests(town))}
        taken: dict[tuple[str, str], list[float]] = {pair: [] for pair in product(fast, slow)}
        for number, (credential, beside) in product(range(wishes.rounds), taken):
            neighbour = slow[beside]
            others = [] if neighbour is None else [unmeasured(neighbour)]
            tally = asyncio.run(press([fast[credential]] * wishes.callers + others, wishes.seconds))
            taken[credential, beside].append(tally.percentile(0.99))
            say(f"round {number + 1}: {credential}, {beside}: p99 {taken[credential, beside][-1]:.1f} ms")
    return {pair: median(found) for pair, found in taken.items()}


def slow_requests(town: Town) -> Iterator[tuple[str, Worker]]:
    """Yield each slow request with the client that sends it again and again."""
    script = asyncio.run(_recorded(town))
    yield EXPANDED_VIEWS, viewer(town.port, script)
    yield EXPANDED_MOVES, mover(town.port, script)


def viewer(port: int, script: Play | None = None, **headers: str) -> Worker:
    """Return a client that reads a new session, or one at which a script began, with its legal moves."""

    async def work(going: Callable[[], bool], took: list[float]) -> None:
        async with await Line.to(port) as line:
            made = await create_session(line, session_request(*WORDS if script else YARDSTICK))
            for seat, version, code in script.moves[:MODELS] if script else ():
                await timed(line, move(made, seat, version, code), 201, [])
            sent = view(made, 0, EXPAND if script else "", **headers)
            while going():
                await timed(line, sent, 200, took)

    return work


def mover(port: int, script: Play) -> Worker:
    """Return a client that plays a script again and again, and has the legal moves listed after each move."""

    async def work(going: Callable[[], bool], took: list[float]) -> None:
        async with await Line.to(port) as line:
            while going():
                made = await create_session(line, session_request(*WORDS))
                for seat, version, code in script.moves:
                    if going():
                        await timed(line, move(made, seat, version, code, EXPAND), 201, took)

    return work


def unmeasured(worker: Worker) -> Worker:
    """Return a client whose times do not count."""

    async def work(going: Callable[[], bool], _took: list[float]) -> None:
        await worker(going, [])

    return work


async def _recorded(town: Town) -> Play:
    async with await Line.to(town.port) as line:
        return await play(line, *WORDS, lambda *_: None, at_random())
