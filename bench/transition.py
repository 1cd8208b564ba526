"""Costs of a stateless transition in the web process, by part: `python -m bench.transition`.

The real application answers requests in process (Flask's test client, access log and figures included), at every
position of one random four-player game. Times are CPU times of this process, the median over all positions.
"""

from __future__ import annotations

import cProfile
import json
import os
import pstats
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr
from pathlib import Path
from random import Random
from typing import Any, Final

from flask.testing import FlaskClient

from games.core.kernel import kernel
from service.app import create_app
from service.settings import Settings

MOVES: Final = "/v1/games/hoher-rat/moves"
POSITIONS: Final = 200
ROUNDS: Final = 20

PARTS: Final = (
    ("the rules: read, check, move, write, send", ("/games/",)),
    ("marshmallow and flask-smorest", ("/marshmallow/", "/flask_smorest/")),
    ("our contract layer: JSON, msgspec, engine, problems", ("/service/", "msgspec")),
    ("the client of Redis", ("/redis/", "/hiredis/", "/async_timeout/")),
    ("the log", ("/structlog/", "/logging/")),
    ("the figures", ("/prometheus_client/",)),
    ("cross-origin headers", ("/flask_cors/",)),
    ("Flask and Werkzeug", ("/flask/", "/werkzeug/", "/http/", "/urllib/", "/blinker/")),
)


def positions(client: FlaskClient, choice: Random) -> Iterator[dict[str, Any]]:
    """Yield the request of every move of a random game of four."""
    made: Any = client.post("/v1/games/hoher-rat/snapshots", json={"seat_count": 4, "seed": "bench"}).json
    snapshot, actors = made["snapshot"], made["actors"]
    while actors:
        seated = {"snapshot": snapshot, "seat": actors[0]}
        listed: Any = client.post("/v1/games/hoher-rat/legal-moves", json=seated).json
        request = {**seated, "move": choice.choice(listed["moves"])["move"]}
        answer: Any = client.post(MOVES, json=request).json
        yield request
        snapshot, actors = answer["snapshot"], answer["actors"]


def cpu(work: Callable[[], object]) -> float:
    """Return the CPU time of one call in milliseconds, the best of several rounds."""
    best = float("inf")
    for _ in range(5):
        began = time.process_time()
        for _ in range(ROUNDS):
            work()
        best = min(best, (time.process_time() - began) * 1000 / ROUNDS)
    return best


def sender(client: FlaskClient, body: bytes) -> Callable[[], None]:
    """Return a function that sends one move."""

    def send() -> None:
        status = client.post(MOVES, data=body, content_type="application/json").status_code
        if status != 200:
            sys.exit(f"{status} for {body!r}")

    return send


def parts(profile: cProfile.Profile) -> Counter[str]:
    """Return the share of each part in a profile's own times; built-ins count for their callers."""
    shares: Counter[str] = Counter()
    for (file, _, _), (_, _, own, _, callers) in pstats.Stats(profile).stats.items():  # type: ignore[attr-defined]
        if file.startswith(("~", "<")) and callers:
            for (caller, _, _), (_, _, part, _) in callers.items():
                shares[part_of(caller)] += part
        else:
            shares[part_of(file)] += own
    return shares


def part_of(file: str) -> str:
    """Return the part that a file belongs to."""
    inside = file.rpartition("site-packages")[2]
    return next((name for name, marks in PARTS if any(mark in inside for mark in marks)), "the rest of Python")


def main() -> None:
    """Measure and print."""
    app = create_app(Settings(log_level="info"))
    client = app.test_client()
    with Path(os.devnull).open("w") as nowhere, redirect_stderr(nowhere):
        requests = [request for request, _ in zip(positions(client, Random(1)), range(POSITIONS), strict=False)]  # noqa: S311 -- a benchmark plays at random
        bodies = [json.dumps(request).encode() for request in requests]
        sends = [sender(client, body) for body in bodies]
        moves = [cpu(send) for send in sends[::4]]
        nothing = cpu(lambda: client.get("/healthz"))
        profile = cProfile.Profile()
        profile.enable()
        for send in sends:
            send()
        profile.disable()
    shares = parts(profile)
    whole = sum(shares.values())
    print(f"kernel: {kernel()}")
    print(f"request: {statistics.median(map(len, bodies)) / 1000:.1f} kB")
    print(f"GET /healthz, the frame alone: {nothing:.2f} ms of CPU")
    print(f"POST {MOVES}, median: {statistics.median(moves):.2f} ms of CPU")
    print(f"POST {MOVES}, 95th percentile: {statistics.quantiles(moves, n=20)[18]:.2f} ms of CPU")
    print("\nown time by part, under the profiler:")
    for name, share in shares.most_common():
        print(f"{share / whole:6.1%}  {name}")


if __name__ == "__main__":
    main()
