"""A seat at `/play` continues on another device by a code; the first device stays."""

from tests.e2e.browser import Browser, needs_browser
from tests.e2e.test_play import begin
from tests.e2e.touch import DESKTOP, PHONE, Player
from tests.launch.kit import HTTP

pytestmark = needs_browser


def test_a_seat_continues_on_another_device_by_link_or_by_code(browser: Browser, service: str) -> None:
    player = Player(browser, service, seed=3)
    session = begin(service, "hoher-rat", seats=2)
    first = session["seats"][0]["token"]
    player.sit_down(session, PHONE)
    codes = []
    for _ in range(2):
        player.tap("[name=share]")
        player.tap("button.device")
        browser.until("document.querySelector('.share .qr') && document.querySelector('.share .code')")
        codes.append(browser.run("document.querySelector('.share .code').innerText"))
        link = browser.run("document.querySelector('#device').value")
        assert link == f"{service}/play#/device/{codes[-1]}"
        browser.visit(
            f"{service}/play?again{len(codes)}#/table/{session['id']}", "document.querySelector('.board svg')"
        )
        if len(codes) == 1:
            headers = {"Authorization": f"Bearer {first}"}
            added = HTTP.post(f"{service}/v1/devices", json={"code": codes[0]}, headers=headers)
            assert added.status_code == 201, "the code that the page shows is valid"
    browser.forget(service)
    player.look(DESKTOP)
    browser.visit(f"{service}/play?other#/device", "document.querySelector('[name=code]')")
    browser.run("document.querySelector('[name=code]').focus()")
    browser.do("Input.insertText", text=codes[1].lower().replace("-", " "))
    player.tap("form button")
    browser.until("document.querySelector('.board svg')")
    table = browser.run("JSON.parse(localStorage.getItem('dorfplatz:tables'))[0]")
    assert (table["id"], table["game"], table["seat"]) == (session["id"], "hoher-rat", 0)
    assert table["token"] != first
    assert codes[1] not in browser.run("location.href")
    for token in (first, table["token"]):
        seen = HTTP.get(f"{service}/v1/sessions/{session['id']}", headers={"Authorization": f"Bearer {token}"})
        assert seen.status_code == 200
