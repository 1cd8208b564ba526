"""The documentation site in a real browser that can reach nothing but the service: on a phone, in both themes."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.browser import AUDIT, Browser, needs_browser
from tests.e2e.test_typescript_client import installed
from tests.launch.kit import HTTP

PHONE = 360
MAX_HEIGHT_PIXELS = 3_000
"""The pixels that no operation's page is as high as, on a phone."""

LOOKED_AT = (
    "/",
    "/docs",
    "/docs/guides/quick-start",
    "/docs/guides/operations",
    "/docs/reference",
    "/docs/reference/listSessions",
    "/docs/schemas",
    "/docs/problems",
    "/docs/problems/stale-version",
    "/docs/rules",
    "/docs/rules/wichtel/de",
    "/docs/search?q=bribe",
)
"""A page of each kind; the operation has lines of every kind, and few of them."""

pytestmark = needs_browser


@pytest.fixture(scope="module")
def operations(service: str) -> dict[str, bool]:
    """Return the operations by id, and whether each works without an API key."""
    paths = HTTP.get(f"{service}/openapi.json").json()["paths"]
    found = [operation for item in paths.values() for operation in item.values()]
    assert len(found) > 20
    return {each["operationId"]: any("key" not in way for way in each.get("security", [{}])) for each in found}


def run_script(browser: Browser, script: str) -> Any:
    return browser.run(script)


def test_operations_fit_a_phone_and_can_be_tried(browser: Browser, service: str, operations: dict[str, bool]) -> None:
    browser.look(width=PHONE)
    wrong = {}
    for operation, is_open in operations.items():
        browser.visit(f"{service}/docs/reference/{operation}", "document.querySelector('#trial button.run')")
        height = run_script(browser, "document.documentElement.scrollHeight")
        width = run_script(browser, "document.documentElement.scrollWidth")
        status = "2"
        if is_open:
            browser.run("document.querySelector('#trial button.run').click()")
            browser.until("document.querySelector('#trial output').dataset.status")
            status = run_script(browser, "document.querySelector('#trial output').dataset.status")
        if height >= MAX_HEIGHT_PIXELS or width > PHONE or not status.startswith("2") or browser.console:
            said = run_script(browser, "document.querySelector('#trial output').innerText")
            wrong[operation] = (height, width, status, said, *browser.console)
        assert all(url.startswith((f"{service}/", "blob:")) for url in browser.requests)
    assert wrong == {}, f"setSession in site.js has what a request to a session needs: {[*wrong.items()]}"


@pytest.mark.skipif(shutil.which("npm") is None, reason="needs npm on PATH")
def test_everybody_can_read_every_kind_of_page(browser: Browser, service: str, checkout: Path) -> None:
    axe = (installed(checkout, Path(__file__).parent / "accessibility") / "axe-core" / "axe.min.js").read_text("utf-8")
    wrong = {}
    for width, dark in ((PHONE, False), (1200, True)):
        browser.look(width=width, dark=dark)
        for path in LOOKED_AT:
            browser.visit(service + path)
            if run_script(browser, "document.documentElement.scrollWidth") > width or browser.console:
                wrong[path, width] = "too wide" if not browser.console else str(browser.console)
            browser.run("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
            browser.run(f"{axe};0")
            found = browser.run(AUDIT)
            assert found[0] > 20
            if found[1]:
                wrong[path, width] = json.dumps(found[1])[:2_000]
    assert wrong == {}


def test_without_scripts_everything_can_be_read_found_and_unfolded(browser: Browser, service: str) -> None:
    browser.look(width=PHONE, scripts=False)
    browser.visit(f"{service}/docs/guides/quick-start")
    seen = "[...document.querySelectorAll('.tabs')[0].querySelectorAll('.tab')].map((tab) => tab.offsetHeight > 0)"
    assert run_script(browser, seen) == [True, False, False]
    browser.run("document.querySelectorAll('.tabs')[0].querySelectorAll('label')[2].click()")
    assert run_script(browser, seen) == [False, False, True]
    browser.visit(f"{service}/docs/reference/createSession")
    assert run_script(browser, "document.getElementById('trial').hidden")
    assert "JavaScript" in run_script(browser, "document.querySelector('noscript').innerText")
    browser.run("[...document.querySelectorAll('summary')].find((each) => / fields/.test(each.innerText)).click()")
    assert "bot_ms" in run_script(browser, "document.body.innerText")
    browser.run("document.querySelector('[name=q]').value = 'stale version'")
    browser.run("document.querySelector('header form button').click()")
    browser.until("location.pathname === '/docs/search' && document.readyState === 'complete'")
    assert "stale-version" in run_script(browser, "document.querySelector('.hits').innerText")
    browser.visit(f"{service}/v1/problems#stale-version", "location.pathname === '/docs/problems'")
    assert run_script(browser, "document.querySelector(':target a').href") == f"{service}/docs/problems/stale-version"


def test_the_type_of_a_problem_opens_its_page(browser: Browser, service: str) -> None:
    browser.look(width=PHONE)
    browser.visit(f"{service}/v1/problems#stale-version", "location.pathname === '/docs/problems/stale-version'")
    assert "If-Match" in run_script(browser, "document.body.innerText")
