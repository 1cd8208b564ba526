"""No acknowledged move is lost or doubled, and no session is stuck, when the network between hosts fails."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

from tests.containers.traffic import Table
from tests.faults.sittings import TABLES, Sitting
from tests.hosts.network import missing
from tests.hosts.village import STORE_HOST, WEB_HOSTS, Village, has_faketime
from tests.workers.processes import until

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "hosts can be made")

PLAYED_TABLES = tuple(table for table in TABLES if table["game"] == "pebbles")[:4]
SECONDS = 1.0


@contextmanager
def village(folder: Path, *, has_replica: bool = False, clocks: Mapping[str, float] | None = None) -> Iterator[Village]:
    running = Village(folder, clocks=clocks, has_replica=has_replica)
    try:
        running.await_ready()
        yield running
    finally:
        running.stop()


def play(place: Village, disturb: Callable[[], object]) -> None:
    """Play a session at each of four tables during a disturbance, and check all of them."""
    acknowledged, over = list[int](), threading.Event()

    def sit(number: int) -> None:
        choice = Random(number)
        while True:
            sitting = Sitting(place, PLAYED_TABLES[number], choice)
            sitting.play()
            acknowledged.append(sitting.acknowledged)
            if over.is_set():
                return

    with ThreadPoolExecutor(len(PLAYED_TABLES)) as pool:
        sittings = [pool.submit(sit, number) for number in range(len(PLAYED_TABLES))]
        try:
            time.sleep(SECONDS)
            disturb()
        finally:
            over.set()
        for sitting in sittings:
            sitting.result()
    assert sum(acknowledged)


def test_a_partition_between_a_web_host_and_the_store_loses_nothing(tmp_path: Path) -> None:
    with village(tmp_path) as place:

        def part() -> None:
            for name in (*WEB_HOSTS, STORE_HOST):
                place.network.cables[name].is_cut = True
                time.sleep(SECONDS)
                place.network.cables[name].is_cut = False
                time.sleep(SECONDS)

        play(place, part)


def test_a_slow_and_lossy_network_loses_nothing(tmp_path: Path) -> None:
    with village(tmp_path) as place:

        def worsen() -> None:
            for cable in place.network.cables.values():
                cable.delay, cable.loss = 0.025, 0.02
            time.sleep(5 * SECONDS)
            for cable in place.network.cables.values():
                cable.delay, cable.loss = 0.0, 0.0

        play(place, worsen)


def test_a_host_that_loses_its_power_loses_nothing(tmp_path: Path) -> None:
    with village(tmp_path) as place:
        place.hosts = place.hosts[:1]
        play(place, lambda: place.kill_host(WEB_HOSTS[1]))


@pytest.mark.skipif(not has_faketime(), reason="faketime is not installed")
def test_a_host_whose_clock_is_off_by_30_seconds_changes_nothing(tmp_path: Path) -> None:
    with village(tmp_path, clocks={WEB_HOSTS[1]: 30.0}) as place:
        play(place, lambda: time.sleep(SECONDS))


def test_after_the_stores_host_is_lost_its_replica_has_every_session(tmp_path: Path) -> None:
    with village(tmp_path, has_replica=True) as place:
        table = Table(place.port, host=place.hosts[0])
        version = max(table.move() for _ in range(6))
        until(place.has_caught_up)
        place.kill_host(STORE_HOST)
        place.await_ready()
        table.host = place.hosts[1]
        assert table.ask("GET", table.path)["version"] == version
        assert table.move() == version + 1
