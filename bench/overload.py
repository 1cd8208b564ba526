"""Twice the load that this machine bears: who is admitted, how soon, and when the service is back to normal.

`python3 dev.py bench overload` starts a service of its own with all quotas counted, but too large to be reached. It
raises the rate of requests until some are refused or late, and takes the last rate before that as the bearable load.
Then it sends twice as many for some minutes, on a schedule that does not wait for responses. At last it sends half of
the bearable load. Half of all requests have one of many API keys.

The client runs on the same machine, with a higher priority if the system permits it. Response times count from the
moment of sending. The result also has the client's own delays, which are part of no time if they occur before sending.
"""

from __future__ import annotations

import asyncio
import os
import resource
import tempfile
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final

import click
import msgspec
import uvloop

from bench.load import Line, request, timed
from bench.open_loop import LOST, OpenLoop, Sample, Wanted
from bench.sessions import SESSIONS, YARDSTICK, Play, at_random, create_session, play, session_request, view
from bench.sessions import move as move_request
from bench.town import CLIENT, Town
from service.auth.api_keys import SCOPES, KeyStore

MIX: Final = {"view": 0.66, "move": 0.2, "stream": 0.03, "new session": 0.1, "search": 0.01}
"""Shares of the kinds of requests."""

ENDLESS: Final = 10**9
KEYS: Final = 50
TABLES: Final = 300
STREAM_SECONDS: Final = 2.0
"""Time after which a stream is closed."""

STEP_SECONDS: Final = 4.0
FIRST_RATE: Final = 200.0
STEP_FACTOR: Final = 1.25
ATTEMPTS: Final = 2
BEARABLE_P99: Final = 0.25
"""99th percentile of the response times in seconds up to which a load is bearable."""

CLIENT_NICE: Final = -10
"""Niceness of the client, if the system permits it."""

LATE_P99: Final = 1.0
REPEATS: Final = 0.05
"""Part of the refused requests that are repeated after their Retry-After."""

RECOVERY_SECONDS: Final = 20.0
SETTLE_SECONDS: Final = 5.0


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """The numbers of a kind of requests, and their response times from the moment of sending in milliseconds."""

    kind: str
    keys: str
    offered: int
    admitted: int
    p50_ms: float
    p99_ms: float
    refused: int
    refused_p50_ms: float
    refused_p99_ms: float
    failed: int


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """One run. `repeated` has the part of admitted repetitions during the load and after it.

    `failures` counts the requests that were neither admitted nor refused, by kind and status. `client_ms` has the
    client's own delays: 99th percentile and maximum of the time by which requests were sent late, and of its loop.
    """

    bearable: float
    rate: float
    seconds: float
    rows: list[Row]
    repeated: dict[str, float]
    recovery_seconds: float
    skipped: int
    failures: dict[str, int]
    client_ms: dict[str, tuple[float, float]]
    cores: dict[str, float]
    is_ready: bool


@dataclass
class Table:
    """A session whose recorded play is made again."""

    made: dict[str, Any]
    step: int = 0


class Mix:
    """Chooses requests at random, by the shares in MIX."""

    def __init__(self, script: Play, search: bytes, keyed_search: Sequence[bytes], keys: Sequence[str]) -> None:
        self._script, self._searches, self._keys = script, (search, keyed_search), keys
        self._chance = Random("overload")  # noqa: S311 -- a load
        self._kinds, self._shares = list(MIX), list(MIX.values())
        self._idle = deque[Table]()
        self._views = deque[dict[str, Any]](maxlen=TABLES)
        self._new = request("POST", SESSIONS, session_request(*YARDSTICK))
        self._new_keyed = [request("POST", SESSIONS, session_request(*YARDSTICK), Api_Key=key) for key in keys]

    def add(self, made: dict[str, Any]) -> None:
        """Add a new session."""
        self._idle.append(Table(made))
        self._views.append(made)

    def choose(self) -> Wanted | None:
        """Return the next request; None if no session has a move left."""
        (kind,) = self._chance.choices(self._kinds, self._shares)
        place = self._chance.randrange(len(self._keys)) if self._chance.random() < 0.5 else None
        key = {} if place is None else {"Api_Key": self._keys[place]}
        if kind == "new session":
            sent = self._new if place is None else self._new_keyed[place]
            return Wanted(kind, bool(key), sent, self._note_session)
        if kind == "search":
            search, keyed = self._searches
            return Wanted(kind, bool(key), search if place is None else keyed[place], _ignore)
        if kind == "move":
            return self._move(key)
        made = self._chance.choice(self._views)
        if kind == "view":
            return Wanted(kind, bool(key), view(made, self._chance.randrange(2), **key), _ignore)
        sent = request("GET", f"{SESSIONS}/{made['id']}/events", None, made["seats"][0]["token"], **key)
        return Wanted(kind, bool(key), sent, _ignore)

    def _move(self, key: dict[str, str]) -> Wanted | None:
        if not self._idle:
            return None
        table = self._idle.popleft()
        seat, version, code = self._script.moves[table.step]
        sent = move_request(table.made, seat, version, code, **key)

        def note(status: int, _head: bytes, _body: bytes) -> None:
            if status == 201:
                table.step += 1
            if status in {201, 429, 503} and table.step < len(self._script.moves):
                self._idle.append(table)  # after a lost response nobody knows its version

        return Wanted("move", bool(key), sent, note)

    def _note_session(self, status: int, _head: bytes, body: bytes) -> None:
        if status == 201:
            self.add(msgspec.json.decode(body))


def _ignore(_status: int, _head: bytes, _body: bytes) -> None:
    pass


def run(seconds: float, rate: float | None, say: Callable[[str], None]) -> Result:
    """Measure everything. `rate` is the bearable load, if it is known."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        settings = {
            f"LIMIT_{name}": str(ENDLESS)
            for name in (
                "OPEN_REQUESTS_PER_MINUTE",
                "OPEN_SESSIONS_PER_HOUR",
                "OPEN_UNFINISHED_SESSIONS",
                "OPEN_STORED_SESSIONS",
                "OPEN_STREAMS_PER_ADDRESS",
                "OPEN_ANSWER_BYTES_PER_HOUR",
                "OPEN_REQUEST_CPU_MILLISECONDS",
                "KEY_REQUESTS_PER_MINUTE",
                "OPEN_JOBS",
                "OPEN_JOBS_PER_CALLER",
                "OPEN_JOBS_PER_KEY",
                "STREAMS",
                "STREAMS_PER_CALLER",
            )
        }
        with Town(Path(folder), apart=False, OPEN_QUOTAS="true", **settings) as town:
            return uvloop.run(_measure(town, seconds, rate, say))


async def _measure(town: Town, seconds: float, known: float | None, say: Callable[[str], None]) -> Result:
    mix = await _mix(town)
    prepare_client()
    load = OpenLoop(town.port, mix.choose, "stream", STREAM_SECONDS)
    await load.run(FIRST_RATE, STEP_SECONDS)  # whatever is loaded late is loaded now
    bearable = known or await _bearable(load, say)
    await load.settle()
    await asyncio.sleep(SETTLE_SECONDS)
    load.repeats, load.skipped = REPEATS, 0
    load.lags.clear()
    say(f"{2 * bearable:.0f} requests a second for {seconds:.0f} s")
    watch, first, began = town.watch(), len(load.samples), time.perf_counter()
    await load.run(2 * bearable, seconds)
    ended, cores, skipped, lags = time.perf_counter(), watch.taken().cores, load.skipped, sorted(load.lags)
    await load.run(bearable / 2, RECOVERY_SECONDS)
    await load.settle()
    samples = [each for each in load.samples[first:] if each.due >= began]
    async with await Line.to(town.port) as line:
        is_ready = (await line.ask(request("GET", "/readyz"))).status == 200
    during = [each for each in samples if each.due < ended]
    sent = sorted(each.late for each in during)
    return Result(
        bearable=bearable,
        rate=2 * bearable,
        seconds=seconds,
        rows=list(_rows(during)),
        repeated=_repeated(samples, ended),
        recovery_seconds=_recovery(samples, ended),
        skipped=skipped,
        failures=_failures(during) | load.errors,
        client_ms={
            name: (_percentile(some, 0.99) * 1000, max(some, default=0.0) * 1000)
            for name, some in (("sending", sent), ("loop", lags))
        },
        cores=cores,
        is_ready=is_ready,
    )


def prepare_client() -> None:
    """Allow this client all connections. Give it priority, because clients of other machines would not be delayed."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, CLIENT_NICE)


async def _mix(town: Town) -> Mix:
    keys = [KeyStore(town.redis).add(f"bench {number}", SCOPES)[1] for number in range(KEYS)]
    async with await Line.to(town.port) as line:
        script = await play(line, *YARDSTICK, lambda *_: None, at_random())
        game, seats = YARDSTICK
        asked = request("POST", f"/v1/games/{game}/snapshots", {"seat_count": seats, "seed": "bench"})
        shown = (await timed(line, asked, 201, [])).body
        position = {"game": game, "snapshot": shown["snapshot"], "seat": shown["actors"][0]}
        search = {**position, "budget": {"iterations": 1}}
        path = "/v1/jobs/searches"
        mix = Mix(
            script,
            request("POST", path, search),
            [request("POST", path, search, Api_Key=key) for key in keys],
            keys,
        )
        for _ in range(TABLES):
            mix.add(await create_session(line, session_request(*YARDSTICK)))
    return mix


async def _bearable(load: OpenLoop, say: Callable[[str], None]) -> float:
    """Raise the rate until it is not bearable twice in a row, because something else may disturb one step."""
    rate, failures = FIRST_RATE, 0
    while True:
        samples = await load.run(rate, STEP_SECONDS)
        await load.settle()
        p99 = _percentile(sorted(each.seconds for each in samples), 0.99)
        bad = sum(each.status in {LOST, 429, 503} for each in samples)
        say(f"{rate:.0f}/s: p99 {p99 * 1000:.0f} ms, {bad} refused")
        if bad > 0.001 * len(samples) or p99 > BEARABLE_P99 or len(samples) < 0.9 * rate * STEP_SECONDS:
            failures += 1
            if failures == ATTEMPTS:
                return rate / STEP_FACTOR
        else:
            rate, failures = rate * STEP_FACTOR, 0


def _rows(samples: Sequence[Sample]) -> Iterator[Row]:
    for kind in MIX:
        for has_key in (True, False):
            some = [each for each in samples if each.kind == kind and each.has_key == has_key]
            admitted = sorted(each.seconds - each.late for each in some if LOST < each.status < 400)
            refused = sorted(each.seconds - each.late for each in some if each.status in {429, 503})
            yield Row(
                kind=kind,
                keys="with" if has_key else "without",
                offered=len(some),
                admitted=len(admitted),
                p50_ms=_percentile(admitted, 0.5) * 1000,
                p99_ms=_percentile(admitted, 0.99) * 1000,
                refused=len(refused),
                refused_p50_ms=_percentile(refused, 0.5) * 1000,
                refused_p99_ms=_percentile(refused, 0.99) * 1000,
                failed=len(some) - len(admitted) - len(refused),
            )


def _failures(samples: Sequence[Sample]) -> dict[str, int]:
    failed = (each for each in samples if each.status == LOST or (each.status >= 400 and each.status not in {429, 503}))
    return dict(Counter(f"{each.kind} {each.status or 'without a response'}" for each in failed))


def _repeated(samples: Sequence[Sample], ended: float) -> dict[str, float]:
    again = [each for each in samples if each.kind.startswith("repeated ")]
    parts = {
        "during": [each for each in again if each.due < ended],
        "after": [each for each in again if each.due >= ended],
    }
    return {
        name: sum(each.status not in {LOST, 429, 503} for each in some) / len(some)
        for name, some in parts.items()
        if some
    }


def _recovery(samples: Sequence[Sample], ended: float) -> float:
    # The seconds after the load until no request is refused, lost or late any more.
    bad = [
        each.due - ended
        for each in samples
        if each.due >= ended and (each.status in {LOST, 429, 503} or each.seconds > BEARABLE_P99)
    ]
    return max(bad, default=0.0)


def _percentile(times: Sequence[float], part: float) -> float:
    return times[min(len(times) - 1, int(part * len(times)))] if times else 0.0


def document(result: Result) -> str:
    """Return the result as text."""
    sent = f"Bearable: {result.bearable:.0f} requests/s. Sent: {result.rate:.0f}/s for {result.seconds:.0f} s."
    late = ", ".join(f"{name} {p99:.0f} ms (at most {most:.0f})" for name, (p99, most) in result.client_ms.items())
    client = f"p99 of the client's own delays: {late}; {result.skipped} moves had no session."
    lines = [
        f"{sent} {client}",
        "",
        "| kind | API key | offered | admitted | p50 ms | p99 ms | refused | refusals p50 | refusals p99 | failed |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {row.kind} | {row.keys} | {row.offered} | {row.admitted / max(1, row.offered):.1%} | {row.p50_ms:.0f} | "
        f"{row.p99_ms:.0f} | {row.refused} | {row.refused_p50_ms:.0f} | {row.refused_p99_ms:.0f} | {row.failed} |"
        for row in result.rows
    ]
    repeated = ", ".join(f"{part:.1%} {name} the load" for name, part in result.repeated.items())
    cores = ", ".join(f"{name} {taken:.2f}" for name, taken in result.cores.items())
    ready = "ready" if result.is_ready else "not ready"
    failures = ", ".join(f"{number} {name}" for name, number in result.failures.items())
    lines += [
        "",
        f"Failed: {failures or 'none'}.",
        f"Repeated after Retry-After and admitted: {repeated}.",
        f"Last refused or late request {result.recovery_seconds:.1f} s after the load; the service is {ready}.",
        f"Cores: {cores}; the client is `{CLIENT}`.",
    ]
    return "\n".join(lines)


@click.command("overload")
@click.option("--seconds", type=float, default=300.0, show_default=True, help="duration of the overload")
@click.option("--rate", type=float, help="the bearable load, if it is known")
def command(seconds: float, rate: float | None) -> None:
    """Send twice the bearable load, and check that moves, streams, views and jobs are served in this order."""
    result = run(seconds, rate, lambda text: click.echo(f"bench: {text}", err=True))
    click.echo(f"\n{document(result)}")
    late = [row for row in result.rows if row.p99_ms > LATE_P99 * 1000]
    if late or not result.is_ready or result.recovery_seconds > 10:
        raise click.ClickException("admitted requests were late, or the service did not recover in time")
