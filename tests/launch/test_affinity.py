"""Where the operator wants it each web process has a core of its own, and its streams are made on another."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from pathlib import Path

import pytest
import redis

from service.launch.affinity import choose_core, cores_beside, usable_cores
from tests.launch.processes import PATIENCE_SECONDS, family, within
from tests.service.streams.server import Ear, Server

MARK = "OWN_FOLDER"


@pytest.mark.parametrize(
    ("taken", "core"), [([], 2), ([2], 3), ([2, 3, 5], 2), ([3, 2, 5, 2], 3), ([None], 2), ([3, 5, 7], 2)]
)
def test_a_process_has_the_core_that_the_fewest_have(taken: Sequence[int | None], core: int) -> None:
    assert choose_core([2, 3, 5], taken) == core


def test_where_nothing_is_bound_there_is_no_core_to_choose() -> None:
    assert choose_core([], [None, None]) is None


@pytest.mark.parametrize(
    ("cores", "core", "processes", "beside"),
    [
        ([0, 1], 0, 1, {1}),
        ([0, 1], 1, 2, {0}),
        ([0, 1, 2, 3], 0, 2, {2, 3}),
        ([0, 1, 2], 2, 2, {0, 1}),
        ([0, 1, 2], 1, 8, {0, 2}),
    ],
)
def test_streams_are_made_where_no_web_process_is_if_there_is_room(
    cores: list[int], core: int, processes: int, beside: set[int]
) -> None:
    assert cores_beside(cores, core, processes) == beside


def test_nothing_is_bound_unless_that_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {7, 3}, raising=False)
    assert usable_cores({}) == []
    assert usable_cores({"WEB_CPU_AFFINITY": "off"}) == []
    assert usable_cores({"WEB_CPU_AFFINITY": "auto"}) == [3, 7]
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {7})
    assert usable_cores({"WEB_CPU_AFFINITY": "auto"}) == []
    with pytest.raises(ValueError, match="WEB_CPU_AFFINITY is 'on', and may be auto or off"):
        usable_cores({"WEB_CPU_AFFINITY": "on"})
    monkeypatch.delattr(os, "sched_getaffinity")
    with pytest.raises(ValueError, match="this system cannot bind"):
        usable_cores({"WEB_CPU_AFFINITY": "auto"})


def cores_of(pid: int) -> set[int]:
    """Return the cores of all threads of a process; none of one that has ended."""
    try:
        return set().union(*(os.sched_getaffinity(int(each.name)) for each in Path(f"/proc/{pid}/task").iterdir()))
    except OSError:
        return set()


def test_a_web_process_and_what_makes_its_streams_are_on_different_cores_also_after_a_death(
    redis_server: str, redis_client: redis.Redis, tmp_path: Path
) -> None:
    cores = os.sched_getaffinity(0)
    if len(cores) < 2:
        pytest.skip("needs two cores")
    assert redis_client.dbsize() == 0
    server = Server(redis_server, tmp_path, WEB_CPU_AFFINITY="auto", **{MARK: str(tmp_path)})
    bound = [cores, {min(cores)}, cores - {min(cores)}, cores - {min(cores)}]

    def is_bound() -> bool:
        """Tell whether the server's processes are where they belong: master, web process, keeper, stream process."""
        return [cores_of(pid) for pid in family(MARK, tmp_path)] == bound

    try:
        with Ear(server.sit(), 0) as ear:
            assert ear.hears(bool)
            assert within(PATIENCE_SECONDS, is_bound)
        _, web, *_ = family(MARK, tmp_path)
        os.kill(web, signal.SIGKILL)
        assert within(PATIENCE_SECONDS, lambda: web not in family(MARK, tmp_path) and is_bound())
        with Ear(server.sit(), 0) as ear:
            assert ear.hears(bool)
    finally:
        server.kill(kills=True)
