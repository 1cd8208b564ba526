"""A simulation on three hosts has the result of one process, also if a host is lost."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from games.core.levels import level_of
from games.core.registry import registered
from service.jobs.grouping import GroupField, Grouping
from tests.hosts.cluster import Cluster
from tests.hosts.network import missing
from workers.simulate.batch import SimulationPlan
from workers.simulate.here import simulate

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "hosts can be made")

GAMES = 601
BODY = {
    "game": "hoher-rat",
    "seats": [{"bot": {"level": "random"}}] * 2,
    "seed": "stone",
    "games": GAMES,
    "games_kept": False,
    "options": {"turn_cap": 20},
    "group_by": {"outcome": [{"field": "view.winner"}], "opening": 1},
}


@cache
def expected() -> dict[str, Any]:
    game = registered()["hoher-rat"]
    levels = (level_of(game, "random", 2),) * 2
    groups = Grouping((GroupField("view.winner"),), opening=1)
    return simulate(SimulationPlan(game, levels, game.options_type(turn_cap=20), "stone", GAMES, grouping=groups))


@contextmanager
def cluster(folder: Path, *workers: int, **times: int) -> Iterator[Cluster]:
    running = Cluster(folder, workers, **times)
    try:
        yield running
    finally:
        running.stop()


def check_partition(place: Cluster) -> None:
    """Check that each seat rotation was counted once."""
    counted = sorted((shard.first, shard.end) for shard in place.shards("counted"))
    assert [first for first, _ in counted] == [0, *(end for _, end in counted[:-1])]
    assert counted[-1][1] == (GAMES + 1) // 2


@pytest.mark.parametrize(("workers", "portion_ms"), [((2, 2, 2), 20), ((1, 1, 0), 100)])
def test_three_hosts_count_what_one_process_counts(tmp_path: Path, workers: tuple[int, ...], portion_ms: int) -> None:
    with cluster(tmp_path, *workers, portion_ms=portion_ms) as place:
        assert place.wait_for(place.start(BODY)).result == expected()
        check_partition(place)
        assert place.lost_shards() == []


def test_a_host_that_is_lost_costs_its_running_shards_only(tmp_path: Path) -> None:
    with cluster(tmp_path, 1, 1, 1, portion_ms=60, lease_ms=1_500) as place:
        job = place.start(BODY)
        place.lose_host_within_shard("three")
        assert place.done(job) < GAMES
        assert place.wait_for(job).result == expected()
        check_partition(place)
        lost = place.lost_shards()
        assert [shard.host for shard in lost] == ["three"], "a worker has one shard at a time"
