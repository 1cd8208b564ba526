"""The measured load of `python3 dev.py bench capacity --measure`: one activity after another, then all of them at once.

Each phase counts its activities and the CPU seconds of each part of the service. The model takes its unit costs from
the phases with one new activity. The last phase is a mixed load for the validation of the model.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

from bench import machine, watch
from bench.capacity_people import EXPAND, POLL_SECONDS, People, chosen, etag, played
from bench.capacity_phases import (
    CALLED,
    CHOICES,
    EVENT,
    IDLE,
    MIXED,
    MOVE,
    PARTS,
    SEARCH,
    SESSION,
    STREAM,
    STREAM_SECOND,
    UNCHANGED,
    VIEW,
    WEB,
    YARDSTICK,
    Measurement,
    Phase,
    Size,
    bot,
    iterations,
)
from bench.load import Line, request, timed
from bench.sessions import SESSIONS, at_random, create_session, play, session_request, view
from bench.town import Town, memory_of
from games.core.levels import LADDER
from games.core.registry import registered
from service.jobs import queues
from service.store import keys

SEARCHES: Final = "/v1/jobs/searches"
LINES: Final = 16
ITERATIONS: Final = 5_000
"""Length of a search whose cost for an iteration is measured."""

MIXED_ITERATIONS: Final = 2_000
BOT_SESSIONS: Final = 10
EXPERT_SESSIONS: Final = 5
"""Sessions of bots at once. With more, the worker could not search for all of them within their pauses."""

LOOK_SECONDS: Final = 0.05
STEADY_LOOKS: Final = 200
"""Maximum number of looks until each session of bots has made a move."""

SEARCHERS: Final = 4
"""Searches at once; further ones would not be allowed to wait for their results."""

Act = Callable[[Line, int], Awaitable[None]]
"""Sends the request of a number over a connection."""


def run(size: Size, say: Callable[[str], None]) -> Measurement:
    """Measure everything against a service with one web process."""
    load = os.getloadavg()[0]
    streams = size.sessions * watch.SEATS
    with (
        tempfile.TemporaryDirectory(prefix="bench-") as folder,
        Town(Path(folder), WEB_PROCESSES="1", LIMIT_STREAMS=str(2 * streams)) as town,
    ):
        return asyncio.run(Bench(town, size, say).run(load))


class Bench:
    """One run against a service."""

    def __init__(self, town: Town, size: Size, say: Callable[[str], None]) -> None:
        """Take the service, the size, and a function that reports progress."""
        self._town, self._size, self._say = town, size, say
        self._phases: list[Phase] = []
        self._sizes: dict[str, float] = {}
        self._people = People(town)

    async def run(self, load: float) -> Measurement:
        """Measure all phases."""
        async with await Line.to(self._town.port) as line:
            recorded = await play(line, watch.GAME, watch.SEATS, lambda _name, _moves: None, at_random())
            stored, stored_moves = await self._stored(line)
            positions = {game: await self._position(line, game) for game in registered()}
        await self._warm(positions)
        async with self._phase(IDLE):
            await asyncio.sleep(self._size.idle_seconds)
        made = await self._created(self._size.sessions)
        mover = watch.Mover(self._town.port, made, recorded.moves)
        await mover.run(self._size.moves, 1.0)
        async with self._phase(MOVE) as counts:
            counts[MOVE] = await self._moves(mover, self._size.moves, self._size.seconds)
        await self._views(made)
        kib = await self._streams(made, mover)
        games = list(registered())
        await self._mix(positions)  # three times, because the machine may become faster or slower
        await self._bots(games[:2])
        await self._mix(positions)
        await self._bots(games[2:])
        await self._calls()
        await self._searches(positions)
        await self._mix(positions)
        return Measurement(
            date=time.strftime("%Y-%m-%d", time.gmtime()),
            machine=machine.facts(),
            load_before=load,
            phases=self._phases,
            memory=self._town.memory(),
            kib_a_stream=kib,
            sizes=self._sizes,
            stored=stored,
            stored_moves=stored_moves,
        )

    @asynccontextmanager
    async def _phase(self, name: str) -> AsyncIterator[Counter[str]]:
        counts: Counter[str] = Counter()
        watching = self._town.watch()
        yield counts
        taken = watching.taken()
        cpu = {part: taken.cores[part] * taken.seconds for part in PARTS}
        self._phases.append(Phase(name=name, seconds=taken.seconds, counts=dict(counts), cpu=cpu))
        self._say(f"{name}: {dict(counts)}, CPU { ({part: round(used, 2) for part, used in cpu.items()}) }")

    async def _paced(self, act: Act, rate: float, seconds: float, lines: int = LINES) -> int:
        orders: asyncio.Queue[int | None] = asyncio.Queue()

        async def some() -> None:
            async with await Line.to(self._town.port) as line:
                while (number := await orders.get()) is not None:
                    await act(line, number)

        sent, began = 0, time.monotonic()
        senders = [asyncio.ensure_future(some()) for _ in range(lines)]
        while (now := time.monotonic() - began) < seconds:
            while sent < now * rate:
                orders.put_nowait(sent)
                sent += 1
            await asyncio.sleep(0.005)
        for _ in senders:
            orders.put_nowait(None)
        await asyncio.gather(*senders)
        return sent

    async def _moves(self, mover: watch.Mover, rate: float, seconds: float) -> int:
        await mover.run(rate, seconds)
        return sum(map(len, mover.answered.values()))

    async def _stored(self, line: Line) -> tuple[dict[str, float], dict[str, int]]:
        stored, moves = dict[str, float](), dict[str, int]()
        for slug, game in registered().items():
            seen: list[str] = []
            script = await play(line, slug, min(game.seat_numbers), partial(_note, seen), at_random())
            stored[slug], moves[slug] = self._weight(seen[0]), len(script.moves)
        return stored, moves

    def _weight(self, name: str) -> float:
        found = self._town.redis.scan_iter(f"{keys.session(name)}*", count=10_000)
        return sum(int(self._town.redis.memory_usage(key, samples=0) or 0) for key in found)

    async def _position(self, line: Line, game: str) -> dict[str, Any]:
        body = {"seat_count": min(registered()[game].seat_numbers), "seed": "bench"}
        shown = (await timed(line, request("POST", f"/v1/games/{game}/snapshots", body), 201, [])).body
        return {"game": game, "snapshot": shown["snapshot"], "seat": shown["actors"][0]}

    async def _search(self, line: Line, position: dict[str, Any], length: int) -> None:
        asked = {**position, "budget": {"iterations": length}}
        answer = await line.ask(request("POST", SEARCHES, asked, Prefer="wait=20"))
        while answer.status in {200, 202} and answer.body["state"] in {"queued", "running"}:
            await asyncio.sleep(POLL_SECONDS)
            answer = await line.ask(request("GET", f"/v1/jobs/{answer.body['id']}"))
        if answer.status != 200 or answer.body["state"] != "succeeded":
            raise RuntimeError(f"{answer.status}: {answer.text[:300]!r}")
        self._sizes[SEARCH] = len(answer.head) + len(answer.text)

    async def _warm(self, positions: dict[str, dict[str, Any]]) -> None:
        """Let each process load everything once, so that no phase pays for it."""
        async with await Line.to(self._town.port) as line:
            for position in positions.values():
                await self._search(line, position, 100)
        for game in registered():
            async with self._playing_bots(game, "hard", 1):
                await asyncio.sleep(1.5)

    async def _created(self, number: int) -> list[dict[str, Any]]:
        made: list[dict[str, Any]] = []

        async def create(line: Line, _number: int) -> None:
            made.append(await create_session(line, session_request(watch.GAME, watch.SEATS)))

        async with self._phase(SESSION) as counts:
            while len(made) < number:
                counts[SESSION] += await self._paced(create, self._size.moves, (number - len(made)) / self._size.moves)
        return made

    async def _views(self, made: list[dict[str, Any]]) -> None:
        async with await Line.to(self._town.port) as line:
            tags = [etag((await line.ask(view(each))).head) for each in made]
        asked = {
            VIEW: ([view(each) for each in made], 200),
            CHOICES: ([view(each, query=EXPAND) for each in made], 200),
            UNCHANGED: ([view(each, If_None_Match=tag) for each, tag in zip(made, tags, strict=True)], 304),
        }
        for name, (sent, status) in asked.items():

            async def look(line: Line, number: int, sent: list[bytes] = sent, status: int = status) -> None:
                answer = await timed(line, sent[number % len(sent)], status, [])
                self._sizes[name] = len(answer.head) + len(answer.text)  # noqa: B023 -- called within the turn

            async with self._phase(name) as counts:
                counts[name] = await self._paced(look, self._size.views, self._size.seconds)

    async def _streams(self, made: list[dict[str, Any]], mover: watch.Mover) -> float:
        tokens = _tokens(made)
        clients = await asyncio.to_thread(watch.Clients, self._town.port, tokens)
        web = dict(self._town.roots())[WEB]
        await asyncio.sleep(3)  # the client processes load
        before = memory_of(web)
        async with self._phase(STREAM) as counts:
            await asyncio.to_thread(clients.open, watch.STREAMS)
            counts[STREAM] = len(tokens)
        kib = (memory_of(web) - before) * 1024 / len(tokens)
        async with self._phase(STREAM_SECOND) as counts:
            began = time.monotonic()
            await asyncio.sleep(self._size.stream_seconds)
            counts[STREAM_SECOND] = int(len(tokens) * (time.monotonic() - began))
        async with self._phase(EVENT) as counts:
            await self._watched_moves(mover, clients, len(tokens), self._size.moves, self._size.seconds, counts)
        await asyncio.to_thread(clients.open, watch.NOTHING)
        await asyncio.to_thread(clients.close)
        self._sizes[EVENT] = self._sizes[MOVE] = self._sizes[VIEW]  # upper bounds: both contain less than a view
        return kib

    async def _watched_moves(
        self,
        mover: watch.Mover,
        clients: watch.Clients,
        open_now: int,
        rate: float,
        seconds: float,
        counts: Counter[str],
    ) -> None:
        await asyncio.to_thread(clients.times)
        began = time.monotonic()
        moves = await self._moves(mover, rate, seconds)
        counts[MOVE] += moves  # others have counted meanwhile
        await asyncio.sleep(0.3)  # the last events arrive
        counts[STREAM_SECOND] = int(open_now * (time.monotonic() - began))
        counts[EVENT] = sum(map(len, await asyncio.to_thread(clients.times)))

    @asynccontextmanager
    async def _playing_bots(self, game: str, level: str, number: int) -> AsyncIterator[list[str]]:
        seats = min(registered()[game].seat_numbers)
        body = {"game": game, "seats": [{"kind": "bot", "bot": {"level": level}}] * seats}
        async with await Line.to(self._town.port) as line:
            made = [await create_session(line, {**body, "seed": f"bench {each}"}) for each in range(number)]
            try:
                yield [each["id"] for each in made]
            finally:
                for each in made:
                    await line.ask(request("DELETE", f"{SESSIONS}/{each['id']}", None, each["owner_token"]))

    async def _bots(self, games: list[str]) -> None:
        for game in games:
            for level in LADDER:
                is_expert = level == LADDER[-1]
                number = EXPERT_SESSIONS if is_expert else BOT_SESSIONS
                async with self._playing_bots(game, level, number) as names:
                    await self._steady(names)
                    async with self._phase(bot(game, level)) as counts:
                        before = played(self._town, names) + chosen(self._town, names)
                        await asyncio.sleep(self._size.bot_seconds * (1.5 if is_expert else 1))
                        counts[bot(game, level)] = played(self._town, names) + chosen(self._town, names) - before
                await self._drained()

    async def _steady(self, names: list[str]) -> None:
        """Wait until each session has made a move, because all bots think at once in the beginning."""
        before = {name: played(self._town, [name]) for name in names}
        for _ in range(STEADY_LOOKS):
            if all(played(self._town, [name]) > count for name, count in before.items()):
                return
            await asyncio.sleep(LOOK_SECONDS)

    async def _drained(self) -> None:
        for _ in range(STEADY_LOOKS):
            if not self._town.redis.llen(f"rq:queue:{queues.PLAY}"):
                break
            await asyncio.sleep(LOOK_SECONDS)
        await asyncio.sleep(0.2)

    async def _calls(self) -> None:
        async with self._phase(CALLED) as counts:
            until = time.monotonic() + self._size.call_seconds
            await asyncio.gather(*(self._people.play(LADDER[0], until, counts) for _ in range(BOT_SESSIONS)))

    async def _searches(self, positions: dict[str, dict[str, Any]]) -> None:
        for game, length in ((YARDSTICK[0], 1), *((game, ITERATIONS) for game in positions)):

            async def search(line: Line, _number: int, game: str = game, length: int = length) -> None:
                await self._search(line, positions[game], length)

            name = SEARCH if length == 1 else iterations(game)
            async with self._phase(name) as counts:
                number = await self._paced(search, 30 if length == 1 else 4, self._size.seconds / 1.5, SEARCHERS)
                counts[SEARCH] = number
                if length > 1:
                    counts[iterations(game)] = number * length

    async def _mix(self, positions: dict[str, dict[str, Any]]) -> None:
        size, seconds = self._size, self._size.mixed_seconds
        async with await Line.to(self._town.port) as line:
            script = await play(line, watch.GAME, watch.SEATS, lambda _name, _moves: None, at_random())
            made = [
                await create_session(line, session_request(watch.GAME, watch.SEATS)) for _ in range(size.sessions // 2)
            ]
        tokens = _tokens(made)
        clients = await asyncio.to_thread(watch.Clients, self._town.port, tokens)
        await asyncio.sleep(3)

        async def search(line: Line, number: int) -> None:
            await self._search(line, positions[sorted(positions)[number % len(positions)]], MIXED_ITERATIONS)

        async with self._phase(MIXED) as counts:
            await asyncio.to_thread(clients.open, watch.STREAMS)
            counts[STREAM] = len(tokens)
            until = time.monotonic() + seconds - 0.5
            mover = watch.Mover(self._town.port, made, script.moves)
            searching = asyncio.ensure_future(self._paced(search, 1.5, seconds - 1, SEARCHERS))
            await asyncio.gather(
                self._watched_moves(mover, clients, len(tokens), size.moves / 3, seconds - 0.5, counts),
                *(self._people.play(level, until, counts) for level in LADDER[1:4] for _ in range(8)),
            )
            searches = counts[SEARCH] = await searching
            for number, game in enumerate(sorted(positions)):
                share = len(range(number, searches, len(positions)))
                counts[iterations(game)] = share * MIXED_ITERATIONS
        await asyncio.to_thread(clients.open, watch.NOTHING)
        await asyncio.to_thread(clients.close)
        await self._drained()


def _note(seen: list[str], name: str, _moves: int) -> None:
    seen.append(name)


def _tokens(made: list[dict[str, Any]]) -> list[watch.SeatToken]:
    return [watch.SeatToken(each["id"], seat, has["token"]) for each in made for seat, has in enumerate(each["seats"])]
