"""The client at `/play` subscribes its seat to push messages, and its service worker shows them and opens the table."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.e2e.browser import FULL_BROWSER, Browser, needs_full_browser
from tests.e2e.test_play import begin
from tests.e2e.touch import DESKTOP, Player
from tests.launch.kit import HTTP, PATIENCE_SECONDS, within
from tests.service.webhooks.browser import Browser as PushBrowser

pytestmark = needs_full_browser

PUSH_SERVICE: Final = """
PushManager.prototype.subscribe = async function (options) {
  window.options = options;
  return { toJSON: () => (%s) };
};
"""
"""A push service of the browser's that needs no network."""

SHOWN: Final = """
navigator.serviceWorker.ready.then((worker) => worker.getNotifications())
  .then((all) => all.map(({ title, tag, data }) => [title, tag, data]))
"""


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Browser]:
    """Yield a browser that has notifications."""
    with Browser.open(tmp_path, FULL_BROWSER) as opened:
        yield opened


def read_push(service: str, session: dict[str, Any]) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {session['seats'][0]['token']}"}
    found: dict[str, Any] = HTTP.get(f"{service}/v1/sessions/{session['id']}/seats/0/push", headers=headers).json()
    return found


def test_a_seat_is_subscribed_and_the_worker_shows_its_turn(browser: Browser, service: str) -> None:
    session = begin(service, "hoher-rat", seats=2)
    browser.do("Browser.grantPermissions", origin=service, permissions=["notifications"])
    browser.do("ServiceWorker.enable")
    script = PUSH_SERVICE % json.dumps(PushBrowser().subscription)
    stub = browser.do("Page.addScriptToEvaluateOnNewDocument", source=script)["identifier"]
    try:
        Player(browser, service, seed=1).sit_down(session, DESKTOP)
        browser.run("document.querySelector('[name=settings]').click()")
        browser.until("document.querySelector('[name=push]:not(:disabled)')")
        browser.run("document.querySelector('[name=push]').click()")
        assert within(PATIENCE_SECONDS, lambda: read_push(service, session)["subscribed"])
        assert browser.run("options.applicationServerKey") == read_push(service, session)["application_server_key"]
        assert browser.run("options.userVisibleOnly")
        told = {"type": "seat.asked", "data": {"session": session["id"], "seat": 0, "text": "It is your turn."}}
        deliver(browser, service, told)
        browser.visit(f"{service}/docs")
        browser.visit(f"{service}/play")
        assert browser.run(SHOWN) == [], "the reader looked at the table"
        deliver(browser, service, told)
        deliver(browser, service, told)
        assert within(PATIENCE_SECONDS, lambda: bool(browser.run(SHOWN)))
        assert browser.run(SHOWN) == [["It is your turn.", session["id"], f"/table/{session['id']}"]]
        browser.visit(f"{service}/play?again#/table/{session['id']}", "document.querySelector('.board svg')")
        browser.run("document.querySelector('[name=settings]').click()")
        browser.until("document.querySelector('[name=push]:checked')")
        browser.run("document.querySelector('[name=push]').click()")
        assert within(PATIENCE_SECONDS, lambda: not read_push(service, session)["subscribed"])
    finally:
        browser.do("Page.removeScriptToEvaluateOnNewDocument", identifier=stub)
        browser.do("Browser.resetPermissions")


def deliver(browser: Browser, service: str, told: dict[str, Any]) -> None:
    """Deliver a push message to the service worker as the browser does with one from the net."""
    assert within(PATIENCE_SECONDS, lambda: browser.run("1") and f"{service}/play" in browser.workers)
    worker = browser.workers[f"{service}/play"]
    browser.do("ServiceWorker.deliverPushMessage", origin=service, registrationId=worker, data=json.dumps(told))
