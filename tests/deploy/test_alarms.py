"""Every alarm fires in its case, over the figures that the web server serves as an operator starts it."""

import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
import yaml
from redis import Redis

from service.auth.api_keys import SCOPES, KeyStore
from service.health import FAULTS
from service.jobs import queues
from service.launch.lifeline import start
from service.overload.priorities import Priority
from service.store import hooks, keys
from service.telemetry.metrics_folder import FOLDER_PREFIX, METRICS_PATH, VARIABLE
from tests.deploy.promql import Scrape, evaluate
from tests.faults.kit import Mortal
from tests.launch.kit import HTTP, PATIENCE_SECONDS, http_client, own_port, read_log, within
from tests.service.streams.server import web_processes_of

SEARCH: Final = {"game": "hoher-rat", "budget": {"iterations": 1}}
SLOW_SECONDS: Final = 0.8
"""Longer than a move may take; the store is stopped for so long."""

STORE_ALARMS: Final = {"StoreAway"}
LATE_ALARMS: Final = {"WebProcessLate"}
FAULT_ALARMS: Final = {"WebProcessFaulty"}
OVERLOAD_ALARMS: Final = {"Overloaded"}
"""No healthy process is late or overloaded; these have tests of their own."""


class Web:
    """`service web`, its store, and a folder for its temporary files."""

    def __init__(self, folder: Path) -> None:
        """Start both; nothing but addresses is set."""
        self.folder = folder
        self.store = Mortal(folder)
        self.port, self.metrics_port = own_port(), own_port()
        given = {name: value for name, value in os.environ.items() if name != VARIABLE}
        settings = {
            "REDIS_URL": self.store.url,
            "PORT": str(self.port),
            "METRICS_PORT": str(self.metrics_port),
            "LIMIT_OPEN_JOBS": "1",
            "LOG_LEVEL": "critical",
            "TMPDIR": str(folder),
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        }
        command = [sys.executable, "-P", "-m", "service", "web"]
        self.log = folder / "web.log"
        self.process = start(command, ending=signal.SIGTERM, env=given | settings, output=self.log)
        self.client = http_client(base_url=f"http://127.0.0.1:{self.port}")

    def is_ready(self) -> bool:
        assert self.process.poll() is None, read_log(self.log)
        try:
            return self.client.get("/readyz").is_success
        except httpx.TransportError:
            return False

    def figures(self) -> str:
        # A connection that was kept may be closed by the server at the moment of the next request.
        page = HTTP.get(f"http://127.0.0.1:{self.metrics_port}{METRICS_PATH}", headers={"Connection": "close"})
        assert page.status_code == 200
        assert page.headers["Content-Type"].startswith("text/plain")
        return page.text

    def web_processes(self) -> list[int]:
        return web_processes_of(self.process.pid)

    def end(self) -> None:
        self.client.close()
        self.process.terminate()
        self.process.wait(PATIENCE_SECONDS)
        self.store.kill()
        read_log(self.log)


@contextmanager
def ready_web(folder: Path) -> Iterator[Web]:
    running = Web(folder)
    try:
        assert within(PATIENCE_SECONDS, running.is_ready)
        yield running
    finally:
        running.end()


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    with ready_web(tmp_path_factory.mktemp("web")) as running:
        yield running


@pytest.fixture
def own_web(tmp_path: Path) -> Iterator[Web]:
    """Start a service that the test may break."""
    with ready_web(tmp_path) as running:
        yield running


@pytest.fixture(scope="module")
def alarms(checkout: Path) -> dict[str, str]:
    found = yaml.safe_load((checkout / "k8s/components/monitoring/alarms.yaml").read_text())
    return {rule["alert"]: rule["expr"] for group in found["spec"]["groups"] for rule in group["rules"]}


def firing(alarms: dict[str, str], scrapes: list[str]) -> set[str]:
    """Return the alarms that fire after scrapes that were a second apart, by Prometheus' clock."""
    read = [Scrape.of(at, text) for at, text in enumerate(scrapes)]
    return {alarm for alarm, expression in alarms.items() if evaluate(expression, read)}


def trouble(web: Web, client: Redis, key: dict[str, str], times: int) -> None:
    """Cause everything so often that an alarm waits for, but for a store that is away."""
    for _ in range(times):
        assert web.client.get("/v1/jobs/0123456789abcdef012345").status_code == 500
        assert web.client.get("/v1/games", headers=key).status_code == 429
        queues.count(client, queues.SEARCH, "failed", 1)
    made = web.client.post("/v1/games/hoher-rat/snapshots", json={"seat_count": 2}).json()
    search = {**SEARCH, "snapshot": made["snapshot"], "seat": made["actors"][0]}
    answers = [web.client.post("/v1/jobs/searches", json=search).status_code for _ in range(times)]
    assert set(answers[1:]) == {503}


def move_slowly(web: Web) -> None:
    moves = f"/v1/sessions/{'0' * 32}/moves"
    web.store.process.send_signal(signal.SIGSTOP)
    asking = threading.Thread(target=web.client.post, args=(moves,), kwargs={"json": {}})
    asking.start()
    time.sleep(SLOW_SECONDS)  # what is tested is a time
    web.store.process.send_signal(signal.SIGCONT)
    asking.join()


def test_figures_are_served_on_a_port_of_their_own(web: Web) -> None:
    for _ in range(4):
        web.client.get("/v1/limits")
    series = Scrape.of(0, web.figures()).figures["dorfplatz_requests_total"]
    counted = {dict(labels)["route"]: value for labels, value in series.items()}
    assert counted["/v1/limits"] >= 4
    assert web.client.get(METRICS_PATH).status_code == 404
    assert "dorfplatz_requests_total" in HTTP.get(f"http://127.0.0.1:{web.metrics_port}/v1/limits").text


@pytest.mark.thorough
def test_requests_are_answered_and_counted_although_their_folder_has_vanished(web: Web) -> None:
    (folder,) = web.folder.glob(f"{FOLDER_PREFIX}*")
    shutil.rmtree(folder.rename(web.folder / "deleted"))  # at once: a request may restore it between two deletions
    assert "dorfplatz_store_up" in web.figures()

    def is_counted() -> bool:
        assert web.client.get("/v1/problems").status_code == 200
        told = web.figures()
        return 'route="/v1/problems"' in told and 'dorfplatz_late_seconds{part="loop"}' in told

    assert within(PATIENCE_SECONDS, is_counted)


@pytest.mark.thorough
def test_every_alarm_fires_in_its_case_and_none_without(own_web: Web, alarms: dict[str, str]) -> None:
    with Redis.from_url(own_web.store.url) as client:
        client.set(queues.record_key("0123456789abcdef012345"), "no hash")
        _, text = KeyStore(client).add("one a minute", SCOPES, requests_per_minute=1)
        key = {"Api-Key": text}
        assert own_web.client.get("/v1/games", headers=key).status_code == 200
        quiet: list[Any] = [own_web.figures(), own_web.figures()]
        assert firing(alarms, quiet) == {"NoWorkers"}  # there is none

        trouble(own_web, client, key, 2)
        move_slowly(own_web)
        before = own_web.figures()
        trouble(own_web, client, key, 12)
        move_slowly(own_web)
        client.zadd(keys.due("0"), {"0" * 32: (time.time() - 60) * 1000})
        client.set(keys.due("1"), "no set")
        client.zadd(hooks._DUE, {str(number): 0 for number in range(101)})
        client.config_set("maxmemory", int(client.info("memory")["used_memory"] * 1.2))
        others = STORE_ALARMS | LATE_ALARMS | FAULT_ALARMS | OVERLOAD_ALARMS
        assert firing(alarms, [before, own_web.figures()]) == alarms.keys() - others
    own_web.store.kill()
    assert firing(alarms, [before, own_web.figures()]) >= STORE_ALARMS


def test_an_alarm_fires_for_a_web_process_whose_broadcaster_is_late(alarms: dict[str, str]) -> None:
    for seconds, expected in ((0.3, set()), (2.5, LATE_ALARMS)):
        told = f'dorfplatz_late_seconds{{part="broadcaster"}} {seconds}\n'
        assert LATE_ALARMS & firing(alarms, ["", told]) == expected


def test_an_alarm_fires_for_each_fault_of_a_web_process(web: Web, alarms: dict[str, str]) -> None:
    assert within(PATIENCE_SECONDS, lambda: "dorfplatz_web_faults{" in web.figures())
    told = web.figures()
    for fault in FAULTS:
        quiet = f'dorfplatz_web_faults{{fault="{fault}"}} 0.0'
        assert quiet in told
        assert not FAULT_ALARMS & firing(alarms, ["", told])
        assert firing(alarms, ["", told.replace(quiet, quiet.replace("0.0", "1.0"))]) >= FAULT_ALARMS


def test_an_alarm_fires_while_requests_of_a_priority_are_refused(web: Web, alarms: dict[str, str]) -> None:
    assert within(PATIENCE_SECONDS, lambda: "dorfplatz_admissions_total{" in web.figures())
    told = web.figures()
    for priority in Priority:
        none = f'dorfplatz_admissions_total{{outcome="refused",priority="{priority.name.lower()}"}} 0.0'
        assert none in told
        assert not OVERLOAD_ALARMS & firing(alarms, [told, told])
        assert firing(alarms, [told, told.replace(none, none.replace("0.0", "9.0"))]) >= OVERLOAD_ALARMS


def test_an_alarm_fires_while_the_event_loop_of_a_web_process_stands_still(
    own_web: Web, alarms: dict[str, str]
) -> None:
    def is_late() -> bool:
        return firing(alarms, ["", own_web.figures()]) >= LATE_ALARMS

    stopped = own_web.web_processes()[0]
    assert not is_late()
    os.kill(stopped, signal.SIGSTOP)
    try:
        assert within(PATIENCE_SECONDS, is_late)
    finally:
        os.kill(stopped, signal.SIGCONT)
    assert within(PATIENCE_SECONDS, lambda: not is_late())
