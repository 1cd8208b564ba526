"""Sessions of one store move into a cluster as docs/operations.md describes."""

from pathlib import Path
from urllib.parse import urlsplit

import pytest
import redis

from tests.containers.engine import run
from tests.service.kit import SPECTATOR, Sitting, application, bid, sit
from tests.service.nodes import PASSWORD, cluster
from tests.service.test_cluster import application_at

pytestmark = pytest.mark.thorough

SESSIONS = 8


def test_imported_sessions_are_played_on_in_the_cluster(
    bases: dict[str, str], redis_server: str, redis_client: redis.Redis, tmp_path: Path
) -> None:
    assert redis_client.dbsize() == 0
    before, source = application(redis_url=redis_server), urlsplit(redis_server)
    sittings = [sit(before, seed=str(number)) for number in range(SESSIONS)]
    assert [sitting.move(0, bid(1)).status_code for sitting in sittings] == [201] * SESSIONS
    shown = [sitting.standing(SPECTATOR) for sitting in sittings]
    with cluster(tmp_path) as nodes:
        image = next(name for name in bases if name.startswith("valkey"))
        tool = ["docker", "run", "--rm", "--network", "host", "--entrypoint", "valkey-cli", image, "-a", PASSWORD]
        place = ["--cluster-from", f"{source.hostname}:{source.port}", "--cluster-from-pass", source.password or ""]
        run(*tool, "--cluster", "import", nodes.masters[0].place, *place, "--cluster-copy")
        assert all(master.client.dbsize() for master in nodes.masters)
        redis_client.flushdb()
        with application_at(nodes, redis_server) as after:
            moved = [Sitting(after, sitting.made) for sitting in sittings]
            assert [sitting.standing(SPECTATOR) for sitting in moved] == shown
            assert [sitting.move(1, bid(2)).status_code for sitting in moved] == [201] * SESSIONS
