"""Redis as more than one server: a cluster of three with a replica, and a server that a Sentinel watches."""

import signal
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import pytest
import redis
from redis.crc import key_slot

from service.launch import lifeline
from service.launch.redis import EmbeddedRedis, NoRedisError, free_port, launch, server
from tests.launch.kit import PATIENCE_SECONDS
from tests.workers.processes import until

PASSWORD: Final = "of-all-nodes"  # noqa: S105 -- it keeps nothing, and has to be passed on
PATIENCE: Final = PATIENCE_SECONDS
NAME: Final = "queue"
SLOTS: Final = ((0, 5460), (5461, 10922), (10923, 16383))
AS_NODE: Final[dict[str, str | int]] = {"appendfsync": "no", "masterauth": PASSWORD, "repl-diskless-sync-delay": 0}


@dataclass(frozen=True)
class Node:
    """A server that runs, and a client of it."""

    server: EmbeddedRedis
    client: redis.Redis

    @property
    def place(self) -> str:
        return self.server.place

    def kill(self) -> None:
        self.server.process.kill()
        self.server.process.wait()

    def follows(self) -> bool:
        return bool(self.client.info("replication").get("master_link_status") == "up")


@contextmanager
def node(folder: Path, settings: Mapping[str, str | int] = MappingProxyType({})) -> Iterator[Node]:
    running = launch(folder, {**AS_NODE, **settings})
    with redis.Redis.from_url(running.url) as first:
        first.config_set("requirepass", PASSWORD)
    client = redis.Redis(port=running.port, password=PASSWORD, socket_timeout=PATIENCE, decode_responses=True)
    try:
        yield Node(running, client)
    finally:
        client.close()
        running.stop()


@dataclass(frozen=True)
class Cluster:
    """Three masters, and a replica of the first."""

    masters: list[Node]
    replica: Node

    @property
    def url(self) -> str:
        places = ",".join(master.place for master in self.masters[1:])
        return f"redis+cluster://:{PASSWORD}@{places}"

    def home(self, key: str) -> int:
        return next(number for number, (_, last) in enumerate(SLOTS) if key_slot(key.encode()) <= last)


@contextmanager
def cluster(folder: Path) -> Iterator[Cluster]:
    """Run a cluster for a while, or skip what needs it if there is no server."""
    _insist_on_server()
    with ExitStack() as stack:
        nodes, buses = [], []
        for number in range(4):
            running, bus = _member(stack, folder / str(number))
            nodes.append(running)
            buses.append(bus)
        for number, (master, slots) in enumerate(zip(nodes, SLOTS, strict=False), 1):
            master.client.execute_command("CLUSTER ADDSLOTSRANGE", *slots)
            master.client.execute_command("CLUSTER SET-CONFIG-EPOCH", number)
        for other, bus in zip(nodes[1:], buses[1:], strict=True):
            nodes[0].client.execute_command("CLUSTER MEET", "127.0.0.1", other.server.port, bus)
        until(lambda: all(_cluster_info(one)["cluster_known_nodes"] == "4" for one in nodes), PATIENCE)
        *masters, replica = nodes
        replica.client.execute_command("CLUSTER REPLICATE", masters[0].client.execute_command("CLUSTER MYID"))
        until(lambda: replica.follows() and all(_cluster_info(one)["cluster_state"] == "ok" for one in nodes), PATIENCE)
        yield Cluster(masters, replica)


def _member(stack: ExitStack, folder: Path) -> tuple[Node, int]:
    for attempt in range(3):  # somebody may take the port that was free
        bus = free_port()
        with suppress(NoRedisError):
            settings: dict[str, str | int] = {"cluster-enabled": "yes", "cluster-port": bus}
            return stack.enter_context(node(folder / str(attempt), settings)), bus
    raise AssertionError


def _cluster_info(one: Node) -> dict[str, str]:
    found: dict[str, str] = one.client.execute_command("CLUSTER INFO")
    return found


@dataclass(frozen=True)
class Watched:
    """A master with a replica, and a Sentinel that watches over them."""

    master: Node
    replica: Node
    sentinel: redis.Redis
    url: str

    def fail_over(self) -> None:
        """Let the replica take the master's place once it has all its data, as Sentinels do in some ten seconds."""
        assert self.master.client.wait(1, PATIENCE * 1000) == 1
        self.replica.client.replicaof("NO", "ONE")
        self.sentinel.sentinel_remove(NAME)
        self.sentinel.sentinel_monitor(NAME, "127.0.0.1", self.replica.server.port, 1)
        self.sentinel.sentinel_set(NAME, "auth-pass", PASSWORD)
        self.master.client.replicaof("127.0.0.1", str(self.replica.server.port))
        self.master.client.client_kill_filter(_type="normal", skipme=True)


@contextmanager
def watched(folder: Path) -> Iterator[Watched]:
    """Run a Redis with a replica and a Sentinel for a while, or skip what needs them if there is no server."""
    _insist_on_server()
    with node(folder / "one") as master, node(folder / "two") as replica:
        replica.client.replicaof("127.0.0.1", str(master.server.port))
        until(replica.follows, PATIENCE)
        with sentinel(folder, master.server.port) as (client, port):
            yield Watched(master, replica, client, f"redis+sentinel://:{PASSWORD}@127.0.0.1:{port}/{NAME}/0")


@contextmanager
def sentinel(folder: Path, port: int) -> Iterator[tuple[redis.Redis, int]]:
    settings = folder / "sentinel.conf"
    while True:  # somebody may take the port that was free
        own = free_port()
        settings.write_text(
            f"port {own}\nbind 127.0.0.1\ndir {folder}\n"
            f"sentinel monitor {NAME} 127.0.0.1 {port} 1\n"
            f"sentinel auth-pass {NAME} {PASSWORD}\n"
        )
        command = [server(), str(settings), "--sentinel"]
        process = lifeline.start(command, ending=signal.SIGTERM, output=folder / "sentinel.log")
        with redis.Redis(port=own, socket_timeout=PATIENCE, decode_responses=True) as client:
            try:
                until(lambda: process.poll() is not None or _knows_the_replica(client), PATIENCE)  # noqa: B023 -- called before the next turn
                if process.poll() is None:
                    yield client, own
                    return
            finally:
                process.terminate()
                process.wait()


def _knows_the_replica(sentinel: redis.Redis) -> bool:
    try:
        found: Any = sentinel.sentinel_master(NAME)
    except redis.ConnectionError:
        return False
    return bool(found["num-slaves"] == 1)


def _insist_on_server() -> None:
    try:
        server()
    except NoRedisError as reason:
        pytest.skip(str(reason))
