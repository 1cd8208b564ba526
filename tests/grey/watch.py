"""Probes of a disturbed service: the readiness of each web process, and the alarms over its metrics."""

import threading
import time
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any, Final

import yaml

from service.telemetry.metrics_folder import METRICS_PATH
from tests.deploy.promql import Scrape, evaluate
from tests.grey.judge import PROBE_TIMEOUT_SECONDS
from tests.grey.town import WEB_PROCESSES, GreyTown

PROBE_SECONDS: Final = 0.25
SCRAPE_PAUSE_SECONDS: Final = 1.0
MAX_SCRAPES: Final = 10
NO_METRICS: Final = "no metrics"
ALARMS: Final = Path("k8s/components/monitoring/alarms.yaml")
LONG_ALARMS: Final = {"WebhooksWait", "QuotasSpent", "WorkFails", "SlowMoves", "ManyUnavailable"}
"""Alarms over longer times than an episode, which earlier faults may cause."""


class Watch:
    """Threads that probe until `stop`.

    `probes` has the time and result of each probe, and `alarms` each alarm that fired.
    """

    def __init__(self, town: GreyTown) -> None:
        self._town = town
        self._is_over = threading.Event()
        self.probes: dict[str, list[tuple[float, bool]]] = {name: [] for name in WEB_PROCESSES}
        self.alarms: list[tuple[float, str]] = []
        self._rules = {name: text for name, text in _rules().items() if name not in LONG_ALARMS}
        self._threads = [
            *(threading.Thread(target=self._probe, args=(name,), daemon=True) for name in WEB_PROCESSES),
            threading.Thread(target=self._scrape, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._is_over.set()
        for thread in self._threads:
            thread.join()

    def is_ready(self, name: str) -> bool:
        return bool(self.probes[name]) and self.probes[name][-1][1]

    def _probe(self, name: str) -> None:
        while not self._is_over.wait(PROBE_SECONDS):
            began = time.monotonic()
            found = self._get(self._town.own_ports[name], "/readyz")
            self.probes[name].append((began if found else time.monotonic(), found is not None))

    def _scrape(self) -> None:
        scrapes: list[Scrape] = []
        while not self._is_over.wait(SCRAPE_PAUSE_SECONDS):
            text, now = self._get(self._town.metrics_port, METRICS_PATH), time.monotonic()
            if text is None:
                self.alarms.append((now, NO_METRICS))
                continue
            scrapes = [*scrapes[1 - MAX_SCRAPES :], Scrape.of(now, text)]
            if len(scrapes) > 1:
                with suppress(KeyError):
                    fired = [name for name, rule in self._rules.items() if evaluate(rule, scrapes)]
                    self.alarms += [(now, name) for name in fired]

    def _get(self, port: int, path: str) -> str | None:
        try:
            with closing(HTTPConnection(self._town.hosts[0], port, timeout=PROBE_TIMEOUT_SECONDS)) as line:
                line.request("GET", path)
                with line.getresponse() as response:
                    text = response.read().decode()
                    return text if response.status == 200 else None
        except (OSError, HTTPException):
            return None


def _rules() -> dict[str, str]:
    read: Any = yaml.safe_load(ALARMS.read_text("utf-8"))
    return {rule["alert"]: rule["expr"] for group in read["spec"]["groups"] for rule in group["rules"]}
