"""`python3 dev.py serve`: one command brings everything up, and nothing of it stays behind."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import httpx
import pytest
import redis

from games.core.kernel import SWITCH, kernel
from service.launch import lifeline
from service.launch.supervisor import WORKER_QUEUES
from tests.launch.kit import PATIENCE_SECONDS, alive, command_of, own_port, read_log, within
from tools.build import is_built

Launch = Callable[..., "Run"]

DEAD = f"http://127.0.0.1:{own_port()}"
PROXIES = {"http_proxy": DEAD, "HTTP_PROXY": DEAD, "all_proxy": DEAD, "no_proxy": "", "NO_PROXY": ""}

LOGS = {
    "web": "web server",
    "worker-play": "worker play",
    "worker-search": "worker search",
    "worker-bulk": "worker bulk",
}


class Run:
    """One run of the service with a folder and a port of its own."""

    def __init__(self, checkout: Path, folder: Path, settings: dict[str, str], *, compiles: bool = False) -> None:
        self.mark = ("DORFPLATZ_VAR", folder)
        self.port = int(settings.get("PORT") or own_port())
        self.log = folder.with_suffix(".log")
        ports = {"PORT": str(self.port), "METRICS_PORT": str(own_port())}
        env = {**os.environ, SWITCH: kernel(), "DORFPLATZ_VAR": str(folder), **ports, **settings}
        for inherited in ("PYTHONPATH", "PYTHONSAFEPATH"):  # a stranger has neither
            env.pop(inherited, None)
        command = [sys.executable, str(checkout / "dev.py"), "serve"]
        if compiles:
            command = [sys.executable, "-P", "-m", "tools.serving"]
            env |= {SWITCH: "plain", "PYTHONPATH": str(checkout)}
        self.process = lifeline.start(command, ending=signal.SIGTERM, env=env, output=self.log, cwd=checkout)

    def said(self, words: str) -> bool:
        return words in read_log(self.log, kills=True)

    def logged(self, name: str, words: str) -> bool:
        return words in read_log(self.mark[1] / "log" / f"{name}.log", kills=True)

    def until_ready(self) -> Run:
        within(PATIENCE_SECONDS, lambda: self.said("ready: ") or self.process.poll() is not None)
        assert self.said("ready: "), read_log(self.log, kills=True)
        return self

    def get(self, path: str) -> bytes:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=PATIENCE_SECONDS) as answer:
            body: bytes = answer.read()
            return body

    def pid(self, words: str) -> int:
        for pid in alive(*self.mark):
            if words in command_of(pid).replace(b"\0", b" ").decode():
                return pid
        raise AssertionError(f"no process with {words}")

    def end(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()

    def leaves_nothing(self) -> bool:
        return within(PATIENCE_SECONDS, lambda: not alive(*self.mark))


@pytest.fixture
def launch(checkout: Path, tmp_path: Path) -> Iterator[Launch]:
    """Return a function that starts the service with settings; it is ended after the test."""
    runs: list[Run] = []

    def start(folder: str = "var", *, compiles: bool = False, **settings: str) -> Run:
        runs.append(Run(checkout, tmp_path / folder, settings, compiles=compiles))
        return runs[-1]

    yield start
    for run in runs:
        run.end()


@pytest.fixture(scope="module")
def running(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """Return a service that runs behind proxies that answer nothing, for tests that do not end it; SIGTERM does."""
    run = Run(checkout, tmp_path_factory.mktemp("running") / "var", PROXIES)
    try:
        yield run.until_ready()
        ends_well(run, signal.SIGTERM)
    finally:
        run.end()


def ends_well(run: Run, ending: signal.Signals) -> None:
    """Interrupt a run, and check that it leaves nothing behind and reports no error."""
    run.process.send_signal(ending)
    assert run.process.wait(PATIENCE_SECONDS) == 0
    assert run.leaves_nothing(), alive(*run.mark)
    assert not run.said("Traceback")
    assert not any(run.logged(name, "Traceback") for name in LOGS)


def test_it_serves_the_kernel_ends_on_ctrl_c_and_leaves_nothing(launch: Launch, tmp_path: Path, redis_url: str) -> None:
    run = launch(REDIS_URL=redis_url).until_ready()
    assert run.said(f"kernel {kernel()} · redis of REDIS_URL")
    with pytest.raises(AssertionError):
        run.pid("-server")
    with redis.Redis.from_url(redis_url) as client:
        assert within(PATIENCE_SECONDS, lambda: bool(client.scard("rq:workers") == 5))
    secret = tmp_path / "var" / "secret_key"
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    kept = secret.read_text()
    ends_well(run, signal.SIGINT)
    run.log.unlink()

    temporary = tmp_path / "tmp"
    temporary.mkdir()
    again = launch(TMPDIR=str(temporary)).until_ready()
    assert again.said(f"kernel {kernel()} · redis 127.0.0.1:")
    assert again.said(f"ready: http://127.0.0.1:{again.port}")
    for name, words in LOGS.items():
        assert within(PATIENCE_SECONDS, partial(again.logged, name, f"{words}, {kernel()} kernel"))
    assert json.loads(again.get("/openapi.json"))["openapi"].startswith("3.1")
    assert again.get("/docs").startswith(b"<!")
    assert (tmp_path / "var" / "redis" / "appendonlydir").is_dir()
    assert secret.read_text() == kept
    assert len(alive(*again.mark)) >= 6
    again.process.kill()
    assert again.leaves_nothing(), alive(*again.mark)
    assert list(temporary.iterdir()) == []


def test_plain_processes_are_replaced_once_the_kernel_is_compiled(launch: Launch, checkout: Path) -> None:
    if not is_built(checkout):
        pytest.skip("to compile the kernel takes minutes; where it is built, the compiler ends at once")
    run = launch(compiles=True, WEB_PROCESSES="1")
    run.until_ready()
    kernels = set[str]()
    with httpx.Client(base_url=f"http://127.0.0.1:{run.port}", trust_env=False, timeout=PATIENCE_SECONDS) as client:
        seats = [{"kind": "human"}, {"kind": "human"}]
        made = client.post("/v1/sessions", json={"game": "hoher-rat", "seats": seats}).raise_for_status().json()
        token = {"Authorization": f"Bearer {made['seats'][0]['token']}"}

        def is_replaced() -> bool:
            assert client.get(made["links"]["session"], headers=token).status_code == 200
            ready = client.get("/readyz?verbose")  # 503 while the old process drains
            kernels.update(ready.text.split()[2:] if ready.is_success else ())
            return "compiled" in kernels

        assert within(PATIENCE_SECONDS, is_replaced)
    assert kernels == {"plain", "compiled"}
    assert run.said("the compiled kernel runs")
    assert all(run.logged(f"worker-{queue}.compiled", "compiled kernel") for queue in WORKER_QUEUES)
    ends_well(run, signal.SIGTERM)


def test_nothing_is_left_when_it_is_ended_while_it_starts(launch: Launch) -> None:
    run = launch()
    assert within(PATIENCE_SECONDS, (run.mark[1] / "log" / "web.log").exists)
    run.process.terminate()
    assert run.process.wait(PATIENCE_SECONDS) == 0
    assert run.leaves_nothing(), alive(*run.mark)


def test_all_stop_when_redis_dies(launch: Launch) -> None:
    """tests/launch/test_dev.py has the same of every other process."""
    run = launch().until_ready()
    os.kill(run.pid("-server"), signal.SIGKILL)
    assert run.process.wait(PATIENCE_SECONDS) == 1
    assert run.said("stopping: Redis ended, see ")
    assert run.leaves_nothing(), alive(*run.mark)


def test_a_taken_port_is_said_at_once(running: Run, launch: Launch) -> None:
    second = launch("other", PORT=str(running.port))
    assert second.process.wait(PATIENCE_SECONDS) == 1
    assert second.said(f"dorfplatz: port {running.port} of 127.0.0.1: Address already in use; PORT names another")
    assert running.get("/healthz")


def test_no_proxy_stands_between_it_and_itself(running: Run, checkout: Path) -> None:
    env = {**os.environ, **PROXIES, "PORT": str(running.port), "PYTHONPATH": str(checkout), SWITCH: "plain"}
    probe = [sys.executable, "-P", "-m", "service", "probe", "web"]
    assert subprocess.run(probe, cwd=checkout, env=env, check=False).returncode == 0
