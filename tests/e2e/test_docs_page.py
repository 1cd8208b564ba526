"""The page at /docs, in a real browser that can reach nothing but the service."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from tests.launch.processes import PATIENCE_SECONDS

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
ALONE = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
OPENED = "#/sessions/makeMoveInSession"

pytestmark = [pytest.mark.thorough, pytest.mark.skipif(BROWSER is None, reason="needs chromium on PATH")]


ATTEMPTS: Final = 3
"""A browser may die as it starts (SIGABRT, seen on two busy cores); the test is of what it shows."""


@dataclass(frozen=True)
class Page:
    """A page as the browser drew it, what it asked for on the page's behalf, and what its console said."""

    document: str
    requests: list[str]
    console: list[str]


@pytest.fixture(scope="module")
def page(service: str, tmp_path_factory: pytest.TempPathFactory) -> Page:
    """Return the page with one operation opened."""
    for _ in range(ATTEMPTS):
        folder = tmp_path_factory.mktemp("browser")
        log = folder / "net.json"
        own = (f"--user-data-dir={folder / 'profile'}", f"--log-net-log={log}", "--enable-logging=stderr")
        command = [str(BROWSER), *ALONE, *own, "--virtual-time-budget=20000", "--dump-dom", f"{service}/docs{OPENED}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            break
    assert done.returncode == 0, done.stderr
    console = [line for line in done.stderr.splitlines() if ":CONSOLE" in line]
    return Page(done.stdout, requested(log, service), console)


def requested(log: Path, initiator: str) -> list[str]:
    """Return the addresses that pages of an origin asked for; what the browser wants for itself is not among them."""
    found: dict[str, Any] = json.loads(log.read_text())
    begun = found["constants"]["logEventTypes"]["URL_REQUEST_START_JOB"]
    asked = [
        event["params"] for event in found["events"] if event["type"] == begun and "url" in event.get("params", ())
    ]
    return [params["url"] for params in asked if params["initiator"] == initiator]


def test_every_operation_is_on_the_page(page: Page, service: str) -> None:
    paths = httpx.get(f"{service}/openapi.json", timeout=PATIENCE_SECONDS).json()["paths"]
    wanted = {
        (method.upper(), path)
        for path, item in paths.items()
        for method in item
        if method in {"get", "put", "post", "delete"}
    }
    shown = re.findall(r'opblock-summary-method">([A-Z]+)<.*?data-path="([^"]+)"', page.document)
    assert set(shown) == wanted
    assert len(shown) == len(wanted) > 20


def test_an_operation_opens_with_its_recorded_example(page: Page) -> None:
    opened = page.document.partition('data-path="/v1/sessions/{id}/moves"')[2]
    assert "If-Match" in opened
    assert '<option value="first-move"' in opened
    assert "stale-version" in opened


def test_nothing_goes_wrong_on_the_page(page: Page) -> None:
    assert "errors-wrapper" not in page.document
    assert "Unable to render" not in page.document
    assert page.console == []


def test_the_page_asks_nobody_but_the_service(page: Page, service: str) -> None:
    assets = ("page.css", "page.js", "swagger-ui.css", "swagger-ui-bundle.js")
    assert {f"{service}/openapi.json", *(f"{service}/docs/{name}" for name in assets)} <= set(page.requests)
    assert [url for url in page.requests if not url.startswith(f"{service}/")] == []


def test_the_bare_address_leads_to_the_page(service: str) -> None:
    answer = httpx.get(service, follow_redirects=True, timeout=PATIENCE_SECONDS)
    assert answer.url.path == "/docs"
    assert answer.is_success
