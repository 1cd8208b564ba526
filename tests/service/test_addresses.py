"""URLs of Redis, and the node of a cluster that a command is sent to, without any server."""

from types import SimpleNamespace
from typing import Any

import pytest
from redis.exceptions import ClusterDownError, RedisClusterException
from redis.exceptions import ConnectionError as Unreachable
from redis.exceptions import TimeoutError as Unanswered

from service.store import addresses
from service.store.addresses import Alone, Cluster, read
from service.store.cluster import ClusterClient


def test_a_url_says_where_a_redis_is_and_how_one_gets_in() -> None:
    assert read("redis://:word@one:1/2") == Alone(url="redis://:word@one:1/2")
    assert read("redis+cluster://one:1,two") == Cluster(nodes=(("one", 1), ("two", 6379)), options={})
    found = read("rediss+sentinel://us:a%20word@one,two:2/name/3?sentinel_password=theirs&health_check_interval=9")
    assert found == addresses.Watched(
        nodes=(("one", 26379), ("two", 2)),
        options={"username": "us", "password": "a word", "db": 3, "health_check_interval": 9, "ssl": True},
        name="name",
        sentinel_options={"password": "theirs", "ssl": True},
    )


@pytest.mark.parametrize(
    "url",
    [
        "http+cluster://:secret@one",
        "redis+circus://:secret@one",
        "redis+sentinel://:secret@one",
        "redis+cluster://:secret@one/1",
        "redis+cluster://:secret@",
        "redis+cluster://:secret@one,,two",
    ],
)
def test_a_url_of_no_known_form_is_refused_without_telling_it(url: str) -> None:
    with pytest.raises(ValueError, match=r"URL|cluster") as refused:
        read(url)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(("scheme", "ssl"), [("redis", {}), ("rediss", {"ssl": True})], ids=["plain", "encrypted"])
def test_a_cluster_is_asked_as_its_url_says(scheme: str, ssl: dict[str, bool]) -> None:
    found = read(f"{scheme}+cluster://us:a%20word@one,[::1]:7/0?health_check_interval=9")
    options = {"username": "us", "password": "a word", "health_check_interval": 9, **ssl}
    assert found == Cluster(nodes=(("one", 6379), ("::1", 7)), options=options)


class Nodes:
    """A fake client of a cluster. Each key has its own node."""

    def __init__(self, *pings: Any) -> None:
        self.pings = dict(enumerate(pings))
        self.sent = list[tuple[Any, ...]]()

    def get_node_from_key(self, key: str) -> str:
        return f"node of {key}"

    def get_nodes(self) -> list[int]:
        return list(self.pings)

    def ping(self, target_nodes: int) -> Any:
        if isinstance(self.pings[target_nodes], Exception):
            raise self.pings[target_nodes]
        return self.pings[target_nodes]

    def execute_command(self, *args: Any, **options: Any) -> None:
        self.sent.append((args, options))


def cluster_of(nodes: Any) -> ClusterClient:
    client = ClusterClient([("one", 1)])
    client._found = nodes
    return client


def test_a_stream_is_read_at_the_node_of_its_key_and_redis_py_finds_those_of_other_commands() -> None:
    nodes = Nodes()
    client: Any = cluster_of(nodes)
    client.xread({"a stream": "7-0"}, count=5, block=9)
    client.xread({"another": "0"})
    client.get("a key")
    assert [options.get("target_nodes") for _, options in nodes.sent] == ["node of a stream", "node of another", None]


@pytest.mark.parametrize("dead", [Unreachable(), Unanswered()], ids=repr)
def test_a_cluster_answers_if_any_node_does(dead: Exception) -> None:
    for pings, answer in (((True, dead), True), ((dead, True), True), ((dead, dead, False), False)):
        assert cluster_of(Nodes(*pings)).ping() is answer
    with pytest.raises(Unreachable):
        cluster_of(Nodes(dead, dead)).ping()


def test_a_cluster_that_is_away_is_a_store_that_is_away() -> None:
    def away(*_: object, **__: object) -> None:
        raise RedisClusterException("no node")

    client: Any = cluster_of(SimpleNamespace(execute_command=away, get_nodes=away, pipeline=away, pubsub=away))
    with pytest.raises(ClusterDownError):
        client.get("a key")
    with pytest.raises(ClusterDownError):
        client.ping()
    for opened in (client.pipeline, client.pubsub):
        with pytest.raises(ClusterDownError), opened():
            pass
