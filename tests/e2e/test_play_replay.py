"""A published game is shown by its link to a reader without a seat, position by position."""

from __future__ import annotations

from tests.e2e.browser import Browser, needs_browser
from tests.e2e.test_play import begin
from tests.launch.kit import HTTP

pytestmark = needs_browser


def test_a_published_game_is_stepped_through(browser: Browser, service: str) -> None:
    session = begin(service, "hoher-rat", seats=2)
    here, owner = f"{service}/v1/sessions/{session['id']}", {"Authorization": f"Bearer {session['owner_token']}"}
    own = {"Authorization": f"Bearer {session['seats'][0]['token']}"}
    assert HTTP.post(f"{here}/resign", json={"then": "forfeit"}, headers=own).status_code == 200
    link = HTTP.put(f"{here}/replay-link", headers=owner).json()
    browser.visit(service + link["page"], "document.querySelector('.history .board svg')")
    before = browser.run("document.querySelector('.history [role=status]').textContent")
    browser.run("document.querySelector('[name=earlier]').click()")
    browser.until(f"document.querySelector('.history [role=status]').textContent !== {before!r}")
    assert HTTP.delete(f"{here}/replay-link", headers=owner).status_code == 204
    assert HTTP.get(service + link["page"]).status_code == 404
