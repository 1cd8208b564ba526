"""The long form: a day of an owner, kills of every container, an upgrade, restarts behind the proxy, a back-up."""

import re
import subprocess
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest

from tests.containers.conftest import Note
from tests.containers.engine import Engine, run
from tests.containers.players import RESTLESS_TABLES, play_while
from tests.containers.project import Project
from tests.containers.traffic import Callers, Table, Watcher
from tests.launch.kit import within

pytestmark = pytest.mark.thorough

SERVICES = ("web", "play", "search", "bulk", "remote", "hooks", "redis", "proxy")
MAX_START_SECONDS = 3.0
RESTARTS = 10
CALLERS, WATCHERS = 16, 200
PYTHON = ("/opt/dorfplatz/bin/python", "-P", "-m", "service")


def test_a_founder_with_a_key_runs_a_day(project: Project) -> None:
    (web, *_) = project.containers("web")
    key = run("docker", "exec", web, *PYTHON, "keys", "add", "club", "--scope", "play", "--scope", "jobs")
    bearer = {"Api_Key": next(line for line in key.splitlines() if line.startswith("dorf_"))}
    table = Table(project.port)
    seats = [{"kind": "human", "name": "Ann"}, {"kind": "open"}, {"kind": "bot", "bot": {"level": "easy"}}]
    made = table.ask("POST", "/v1/sessions", {"game": "wichtel", "seats": seats}, **bearer)
    invite = next(seat["invite"] for seat in made["seats"] if "invite" in seat)
    path = made["links"]["session"]
    claimed = table.ask("POST", f"{path}/seats/1/claim", {"code": invite, "name": "Ben"})
    assert claimed["token"]
    listed = table.ask("GET", "/v1/sessions", **bearer)
    assert [each["id"] for each in listed["sessions"]] == [path.rpartition("/")[2]]
    bots = [{"bot": {"level": "random"}}] * 3
    job = table.ask("POST", "/v1/jobs/simulations", {"game": "wichtel", "seats": bots, "games": 30}, **bearer)
    own = f"/v1/jobs/{job['id']}"
    assert within(120, lambda: table.ask("GET", own, **bearer)["state"] == "succeeded")


def test_a_web_container_takes_three_seconds_of_cpu_to_be_ready(project: Project, note: Note) -> None:
    (container, *_) = project.containers("web")
    starts = [start(project, container) for _ in range(3)]
    seconds, cpu_seconds = (min(column) for column in zip(*starts, strict=True))
    note(f"a web container is ready after {seconds:.1f} s and {cpu_seconds:.1f} s of CPU, the best of three starts")
    assert cpu_seconds <= MAX_START_SECONDS  # elapsed time also depends on the load of the machine


def start(project: Project, container: str) -> tuple[float, float]:
    """Stop a web container, start it, and return the elapsed and the CPU seconds until it is ready."""
    run("docker", "stop", "--time", "20", container)
    began = time.monotonic()
    run("docker", "start", container)
    assert within(60, partial(healthy, project, container)), project.logs()
    return time.monotonic() - began, cpu_seconds_of(container)


def cpu_seconds_of(container: str) -> float:
    """Return the CPU seconds of a container since its start, from control groups of version 1 or 2."""
    files = "cat /sys/fs/cgroup/cpuacct/cpuacct.usage || cat /sys/fs/cgroup/cpu.stat"
    text = run("docker", "exec", container, "sh", "-c", f"({files}) 2>/dev/null")
    (nanoseconds,) = re.findall(r"^\d+$", text, re.MULTILINE) or [
        f"{found}000" for found in re.findall(r"^usage_usec (\d+)$", text, re.MULTILINE)
    ]
    return int(nanoseconds) / 1e9


def test_kills_of_every_container_lose_no_acknowledged_move(project: Project, note: Note) -> None:
    choice = Random(46)

    def kill(service: str) -> str:
        project.kill(choice.choice(project.containers(service)))
        return service

    disturbances = [lambda service=service: kill(service) for service in (*SERVICES, "web", "redis", "play")]
    acknowledged, killed = play_while(project, RESTLESS_TABLES[:4], choice, disturbances)
    assert acknowledged > 50
    note(f"{len(killed)} kills; {acknowledged} moves")
    project.await_ready()


def test_web_containers_restarted_in_turn_cut_no_request_and_miss_no_event(project: Project, note: Note) -> None:
    table = Table(project.port)
    watchers = [Watcher(project.port, table.path) for _ in range(WATCHERS)]
    for watcher in watchers:
        watcher.start()
    version = 1
    with Callers(project.port, CALLERS) as callers:
        for number in range(RESTARTS):
            container = project.containers("web")[number % 2]
            ready = partial(healthy, project, container)
            stopping = subprocess.Popen(["docker", "restart", "--time", "20", container], stdout=subprocess.DEVNULL)
            while stopping.poll() is None:
                version = table.move()
                time.sleep(0.2)
            assert within(60, ready), project.logs()
    counts = callers.stop()
    within(60, lambda: all(watcher.ids and watcher.ids[-1] == version for watcher in watchers))
    for watcher in watchers:
        watcher.over.set()
    note(f"{RESTARTS} restarts: {dict(counts)}, {version - 1} moves, each in {WATCHERS} streams")
    assert {tuple(watcher.ids) for watcher in watchers} == {tuple(range(1, version + 1))}
    assert (callers.cuts, set(counts)) == ([], {"200", "201"})


def healthy(project: Project, container: str) -> bool:
    address = project.address(container)
    command = ["curl", "-sf", "-m", "2", f"http://{address}:8000/readyz"]
    return bool(address) and subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_the_next_image_replaces_the_running_one_under_players(project: Project, image: str, note: Note) -> None:
    following = f"{image.partition(':')[0]}:next"
    run("docker", "build", "--tag", following, "-", stdin=f"FROM {image}\nLABEL next=true\n".encode())
    project.file.write_text(
        project.file.read_text().replace(image, following).replace("build: .", "pull_policy: never")
    )

    def upgrade() -> str:
        return project.compose("up", "--detach", "--no-build")

    with Callers(project.port, 8) as callers:
        acknowledged, _ = play_while(project, RESTLESS_TABLES[:3], Random(2), [upgrade])
    counts = callers.stop()
    images = {project.engine.inspect(each)["Config"]["Image"] for each in project.containers()}
    assert following in images
    assert image not in images
    note(f"upgrade: {dict(counts)}; {acknowledged} moves")
    assert (callers.cuts, set(counts)) == ([], {"200", "201"})


def test_watchers_apart_are_served_by_containers_of_their_own(project: Project) -> None:
    project.start(WATCH_CONTAINERS="1")
    (watch,) = project.containers("watch")
    assert within(60, lambda: healthy(project, watch))
    time.sleep(2)
    table = Table(project.port)
    watchers = [Watcher(project.port, table.path) for _ in range(20)]
    for watcher in watchers:
        watcher.start()
    assert within(30, lambda: all(watcher.ids for watcher in watchers))
    for container in project.containers("web"):
        run("docker", "restart", "--time", "20", container)
    version = table.move()
    assert within(30, lambda: all(watcher.ids == list(range(1, version + 1)) for watcher in watchers))
    assert {watcher.streams for watcher in watchers} == {1}, "no stream went through a restarted container"
    for watcher in watchers:
        watcher.over.set()


def test_a_full_store_refuses_writes_and_recovers(project: Project) -> None:
    table = Table(project.port)
    version = table.move()
    with project.redis() as client:
        most = client.config_get("maxmemory")["maxmemory"]
        client.config_set("maxmemory", 1_000_000)
        try:
            assert refused(table)["code"] == "store-away"
            assert table.ask("GET", table.path)["version"] == version
        finally:
            client.config_set("maxmemory", most)
    project.await_ready()
    assert table.move() == version + 1


def refused(table: Table) -> Any:
    answer = httpx.post(
        f"http://127.0.0.1:{table.port}/v1/sessions", json={"game": "hoher-rat", "seats": [{"kind": "human"}] * 2}
    )
    assert answer.status_code == 503, answer.text
    assert answer.headers["Retry-After"]
    return answer.json()


@pytest.fixture
def small_disk(engine: Engine, project: Project, checkout: Path, tmp_path: Path) -> Iterator[Project]:
    project.await_ready()
    disk, place = tmp_path / "disk", tmp_path / "data"
    place.mkdir()
    run("truncate", "-s", "40M", str(disk))
    run("mkfs.ext4", "-q", str(disk))
    run("mount", "-o", "loop", str(disk), str(place))
    run("chown", "999:1000", str(place))
    small = Project(engine, checkout, tmp_path)
    text = small.file.read_text()
    small.file.write_text(text.replace('volumes: ["redis:/data"]', f'volumes: ["{place}:/data"]'))
    try:
        small.start()
        yield small
    finally:
        small.remove()
        run("umount", str(place))


def fill(file: Path) -> None:
    with file.open("wb", buffering=0) as written:
        while True:
            written.write(bytes(100_000))


def test_a_full_disk_loses_nothing_that_was_acknowledged(small_disk: Project, tmp_path: Path) -> None:
    table = Table(small_disk.port)
    version = max(table.move() for _ in range(5))
    ballast = tmp_path / "data" / "ballast"
    with pytest.raises(OSError, match="No space left"):
        fill(ballast)
    acknowledged = version
    for _ in range(60):
        try:
            acknowledged = table.move()
        except (AssertionError, OSError):
            break
    ballast.unlink()
    small_disk.await_ready()
    shown = table.ask("GET", table.path)
    assert shown["version"] >= acknowledged
    assert within(30, lambda: table.move() > acknowledged)


def test_a_restored_back_up_has_every_session(project: Project, tmp_path: Path) -> None:
    table = Table(project.port)
    version = max(table.move() for _ in range(4))
    shown = table.ask("GET", table.path)
    (store,) = project.containers("redis")
    with project.redis() as client:
        client.bgrewriteaof()
        assert within(30, lambda: not client.info("persistence")["aof_rewrite_in_progress"])
    with (tmp_path / "backup.tar").open("wb") as backup:
        subprocess.run(["docker", "cp", f"{store}:/data/.", "-"], stdout=backup, check=True)
    table.move()
    project.compose("stop")
    run("docker", "cp", "-", f"{store}:/data", stdin=(tmp_path / "backup.tar").read_bytes())
    project.compose("up", "--detach", "--no-build")
    project.await_ready()
    restored = table.ask("GET", table.path)
    assert (restored["version"], restored["view"]) == (version, shown["view"])


def test_every_image_tag_is_pinned(checkout: Path) -> None:
    text = (checkout / "docker-compose.yml").read_text() + (checkout / "Dockerfile").read_text()
    assert not re.findall(r"(?:image|FROM)\S* \S+:latest", text)
