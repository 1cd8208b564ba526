"""Moves a second and their durations on one host and on three: `python3 dev.py bench hosts`.

The hosts are network namespaces of this machine, joined by the switch of `tests.hosts.network`. The callers are threads
of one process, so the figures compare networks; they are no measure of the service's speed.
"""

from __future__ import annotations

import shutil
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from http.client import HTTPConnection
from pathlib import Path
from string import Template
from typing import Any, Final

import msgspec

from bench import machine
from tests.faults.sittings import Place
from tests.faults.town import Town
from tests.hosts.network import missing
from tests.hosts.village import Village

CALLERS: Final = 16
SECONDS: Final = 6.0
DELAY_SECONDS: Final = 0.0125
"""Delay of each cable. A response crosses four of them, so a request waits 50 ms for the network."""

LOSS: Final = 0.02
TABLE: Final = {"game": "hoher-rat", "seats": [{"kind": "human"}, {"kind": "human"}], "options": {"turn_cap": 150}}
HERE: Final = Path(__file__).resolve().parent


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One network: moves a second, and milliseconds of a move at the median and the 99th percentile."""

    network: str
    moves: float
    p50_ms: float
    p99_ms: float


@dataclass
class Mover:
    """A caller who plays both seats of a session, and notes how long each move took."""

    host: str
    port: int
    until: float
    durations: list[float]

    def run(self) -> None:
        """Play sessions until the time is up."""
        with closing(HTTPConnection(self.host, self.port, timeout=60)) as self.connection:
            while time.monotonic() < self.until:
                self._play()

    def _play(self) -> None:
        made = self._ask("POST", "/v1/sessions", TABLE)
        tokens = {seat["seat"]: seat["token"] for seat in made["seats"]}
        path, shown, seat = made["links"]["session"], made, 0
        while time.monotonic() < self.until:
            bearer = {"Authorization": f"Bearer {tokens[seat]}"}
            shown = self._ask("GET", f"{path}?expand=legal_moves", **bearer)
            if shown["status"] != "running":
                return
            if seat not in shown["actors"]:
                seat = shown["actors"][0]
                continue
            moves = shown["legal_moves"]["moves"]
            began = time.monotonic()
            body = {"move": moves[len(moves) // 2]["move"]}
            self._ask("POST", f"{path}/moves", body, **bearer, **{"If-Match": f'"{shown["version"]}"'})
            self.durations.append(time.monotonic() - began)

    def _ask(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        sent = {**headers, "Content-Type": "application/json"} if body is not None else headers
        self.connection.request(method, path, None if body is None else msgspec.json.encode(body), sent)
        response = self.connection.getresponse()
        text = response.read()
        if response.status >= 300:
            raise RuntimeError(f"{method} {path}: {response.status} {text[:200]!r}")
        return msgspec.json.decode(text)


def measure(name: str, place: Place) -> Row:
    """Return the figures of one network."""
    until, durations = time.monotonic() + SECONDS, list[float]()
    movers = [Mover(place.hosts[number % len(place.hosts)], place.port, until, durations) for number in range(CALLERS)]
    threads = [threading.Thread(target=mover.run) for mover in movers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    centiles = statistics.quantiles(durations, n=100)
    return Row(network=name, moves=len(durations) / SECONDS, p50_ms=1000 * centiles[49], p99_ms=1000 * centiles[98])


@contextmanager
def started(make: Callable[[Path], Any]) -> Iterator[Any]:
    """Yield a service, ready, and stop it afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="hosts-"))
    place = make(folder)
    try:
        place.await_ready()
        yield place
    finally:
        place.stop()
        shutil.rmtree(folder)


def run(say: Callable[[str], None]) -> list[Row]:
    """Measure all networks, one after the other."""
    if missing():
        raise RuntimeError(missing())
    rows = []

    def add(name: str, place: Place) -> None:
        rows.append(measure(name, place))
        say(f"{name}: {rows[-1].moves:.0f} moves a second")

    with started(Town) as town:
        add("one host", town)
    with started(Village) as village:
        add("three hosts", village)
        for cable in village.network.cables.values():
            cable.delay = DELAY_SECONDS
        add("three hosts, 50 ms", village)
        for cable in village.network.cables.values():
            cable.delay, cable.loss = 0.0, LOSS
        add("three hosts, 2 % loss", village)
    return rows


def document(rows: list[Row]) -> str:
    """Return the page."""
    lines = [
        f"| {row.network} | {row.moves:.0f} | {row.moves / rows[0].moves:.2f} | {row.p50_ms:.0f} | {row.p99_ms:.0f} |"
        for row in rows
    ]
    facts = (f"- {name}: {text}" for name, text in machine.running(machine.facts()))
    return Template((HERE / "hosts.md").read_text()).substitute(
        callers=CALLERS,
        seconds=f"{SECONDS:.0f}",
        rows="\n".join(lines),
        date=datetime.now(UTC).date().isoformat(),
        machine="\n".join(facts),
    )
