"""Simulations on three hosts: results for several splits, the loss of a host, and speed: `bench hosts`.

The hosts are those of `tests.hosts.cluster`. They share the cores of this machine, so six workers cannot be faster than
one worker per core. The ratio of both shows the cost of the queue, the network and the store.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from string import Template
from typing import Any, Final

import msgspec

from bench import machine
from games.core.kernel import kernel
from games.core.levels import level_of
from games.core.registry import registered
from service.jobs.grouping import GroupField, Grouping
from tests.hosts.cluster import CLUSTER_HOSTS, Cluster
from workers.simulate.batch import SimulationPlan
from workers.simulate.here import simulate

HERE: Final = Path(__file__).resolve().parent
GAME: Final = "hoher-rat"
LEVEL: Final = "random"
SIX: Final = (2, 2, 2)
ONE_PER_CORE: Final = (1, 1, 0)
SPLITS: Final = ((SIX, 1_500), (SIX, 300), ((1, 1, 1), 100), (ONE_PER_CORE, 1_500))
"""Workers of each host, and milliseconds of a shard."""

SETTLE_SECONDS: Final = 1.0


class ClusterRow(msgspec.Struct, frozen=True, kw_only=True):
    """One simulation: workers of each host, milliseconds of a shard, shards counted and repeated, and times."""

    workers: tuple[int, ...]
    portion_ms: int
    shards: int
    repeated: int
    is_equal: bool
    seconds: float
    cpu: float


def order(games: int) -> dict[str, Any]:
    """Return the request for a simulation."""
    return {
        "game": GAME,
        "seats": [{"bot": {"level": LEVEL}}] * 2,
        "seed": "cluster",
        "games": games,
        "games_kept": False,
        "group_by": {"outcome": [{"field": "view.winner"}, {"field": "plies", "bucket": 25}], "opening": 1},
    }


def alone(games: int) -> dict[str, Any]:
    """Return the result of one process."""
    game = registered()[GAME]
    levels = (level_of(game, LEVEL, 2),) * 2
    groups = Grouping((GroupField("view.winner"), GroupField("plies", 25)), opening=1)
    options = game.options_type(**game.simulated)
    return simulate(SimulationPlan(game, levels, options, "cluster", games, grouping=groups))


@contextmanager
def started(workers: tuple[int, ...], portion_ms: int) -> Iterator[Cluster]:
    """Yield three hosts with workers, and stop them afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="cluster-"))
    place = Cluster(folder, workers, portion_ms=portion_ms)
    try:
        yield place
    finally:
        place.stop()
        shutil.rmtree(folder)


def measure(
    games: int, expected: dict[str, Any], workers: tuple[int, ...], portion_ms: int, lost: str = ""
) -> ClusterRow:
    """Run a simulation, and return its figures. `lost` is a host to cut off and kill within a shard."""
    with started(workers, portion_ms) as place:
        began, cpu = time.monotonic(), place.worker_cpu()
        job = place.start(order(games))
        if lost:
            place.lose_host_within_shard(lost)
        found, seconds = place.wait_for(job), time.monotonic() - began
        time.sleep(SETTLE_SECONDS)  # a worker collects its last work-horse
        return ClusterRow(
            workers=workers,
            portion_ms=portion_ms,
            shards=len(place.shards("counted")),
            repeated=len(place.lost_shards()),
            is_equal=found.result == expected,
            seconds=seconds,
            cpu=place.worker_cpu() - cpu,
        )


def run(games: int, say: Callable[[str], None]) -> tuple[list[ClusterRow], ClusterRow]:
    """Return the splits, and the run with a lost host."""
    expected = alone(games)
    rows = []
    for workers, portion_ms in SPLITS:
        rows.append(measure(games, expected, workers, portion_ms))
        say(f"{workers}, {portion_ms} ms: {rows[-1].seconds:.1f} s, equal: {rows[-1].is_equal}")
    lost = measure(games, expected, (2, 2, 1), 500, CLUSTER_HOSTS[-1])
    say(f"a lost host: {lost.repeated} of {lost.shards} shards repeated, equal: {lost.is_equal}")
    return rows, lost


def document(games: int, rows: list[ClusterRow], lost: ClusterRow) -> str:
    """Return the page."""
    lines = [
        f"| {', '.join(map(str, row.workers))} | {row.portion_ms} | {row.shards} | {games / row.seconds:.0f} "
        f"| {games / row.cpu:.0f} "
        f"| {'yes' if row.is_equal else 'NO'} |"
        for row in rows
    ]
    many, few = (next(row for row in rows if row.workers == each) for each in (SIX, ONE_PER_CORE))
    facts = (f"- {name}: {text}" for name, text in machine.running(machine.facts()))
    return Template((HERE / "cluster.md").read_text()).substitute(
        games=f"{games:,}",
        rows="\n".join(lines),
        by_time=f"{few.seconds / many.seconds:.2f}",
        by_cpu=f"{few.cpu / many.cpu:.2f}",
        lost_shards=lost.repeated,
        all_shards=lost.shards,
        equal="the same" if lost.is_equal else "ANOTHER",
        kernel=kernel(),
        load=f"{os.getloadavg()[2]:.1f}",
        date=datetime.now(UTC).date().isoformat(),
        machine="\n".join(facts),
    )
