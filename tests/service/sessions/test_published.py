"""A finished session is published by its owner alone, as spectators saw it, until its owner withdraws it."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any

import pytest
import redis
from flask import Flask
from werkzeug.test import TestResponse

from service.app import create_app
from service.settings import Settings
from service.store import keys
from tests.service.kit import PEOPLE, SPECTATOR, Clock, Sitting, code_of, freeze, sit
from tests.toy import GAME


@pytest.fixture
def finished(app: Flask) -> Sitting:
    sitting = sit(app, *PEOPLE, spectators="live")
    sitting.play_out()
    return sitting


def publish(sitting: Sitting) -> dict[str, Any]:
    answer = sitting.call("owner", "PUT", "/replay-link")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json  # type: ignore[assignment]
    return found


def get(sitting: Sitting, path: str, **headers: str) -> TestResponse:
    return sitting.app.test_client().get(path, headers={name.replace("_", "-"): text for name, text in headers.items()})


def test_anybody_steps_through_the_positions_of_spectators(finished: Sitting) -> None:
    link = publish(finished)
    assert re.fullmatch(r"[A-Za-z0-9_-]{22}", link["id"])
    assert finished.made["id"] not in str(link)
    shown: Any = get(finished, link["url"]).json
    assert (shown["game"], shown["status"]) == ("pebbles", "finished")
    assert shown["outcome"]["rewards"] == finished.look(0).json["outcome"]["rewards"]  # type: ignore[index]
    last = int(finished.look(SPECTATOR).json["version"])  # type: ignore[index]
    assert [each["version"] for each in shown["positions"]] == list(range(1, last + 1))
    assert all(each["texts"] for each in shown["positions"])
    for version in (1, last // 2, last):
        own = finished.look(SPECTATOR, f"/picture?version={version}")
        assert get(finished, f"{link['url']}/picture?version={version}").data == own.data
    first = get(finished, f"{link['url']}/picture?version=1")
    delta = {"If_None_Match": first.headers["ETag"], "A_IM": "gdiff", "Accept_Encoding": "gzip"}
    assert get(finished, f"{link['url']}/picture?version=2", **delta).status_code in {200, 226}
    preview = get(finished, f"{link['url']}/preview")
    assert (preview.mimetype, preview.data[:4]) == ("image/png", b"\x89PNG")


def test_a_session_without_spectators_shows_no_more_than_one_with_them(app: Flask) -> None:
    """Both sessions are the same game of practice, so their replays are the same to the word."""
    shown = []
    for spectators in ("live", "none"):
        sitting = sit(app, *PEOPLE, spectators=spectators)
        sitting.play_out()
        replay: Any = get(sitting, publish(sitting)["url"]).json
        shown.append([each["texts"] for each in replay["positions"]])
    assert shown[0] == shown[1]


def test_nothing_is_published_before_the_end(app: Flask) -> None:
    sitting = sit(app)
    refused = sitting.call("owner", "PUT", "/replay-link")
    assert (refused.status_code, code_of(refused)) == (409, "session-running")
    waiting = sit(app, {"kind": "human"}, {"kind": "open"})
    assert waiting.call("owner", "DELETE").status_code == 204
    refused = waiting.call("owner", "PUT", "/replay-link")
    assert (refused.status_code, code_of(refused)) == (409, "not-dealt")


def test_only_the_owner_publishes_and_withdraws(finished: Sitting) -> None:
    for method in ("GET", "PUT", "DELETE"):
        for caller, status in ((0, 403), (1, 403), (None, 401)):
            assert finished.call(caller, method, "/replay-link").status_code == status


def test_a_repeated_request_returns_the_same_link_and_a_withdrawn_one_is_gone(finished: Sitting) -> None:
    link = publish(finished)
    again, read = publish(finished), finished.call("owner", "GET", "/replay-link").json
    ends = [datetime.fromisoformat(each.pop("expires_at")) for each in (link, again, read or {})]
    assert (again, read) == (link, link)
    assert max(ends) - min(ends) < timedelta(minutes=1)
    assert finished.call("owner", "DELETE", "/replay-link").status_code == 204
    assert finished.call("owner", "DELETE", "/replay-link").status_code == 204
    for path in (link["url"], f"{link['url']}/picture", f"{link['url']}/preview", link["page"]):
        gone = get(finished, path)
        assert (gone.status_code, code_of(gone)) == (404, "unknown-replay")
    absent = finished.call("owner", "GET", "/replay-link")
    assert (absent.status_code, code_of(absent)) == (404, "unknown-replay")
    other = publish(finished)
    assert other["id"] != link["id"]
    assert get(finished, other["url"]).status_code == 200
    assert get(finished, link["url"]).status_code == 404


def test_a_guessed_link_shows_nothing(finished: Sitting) -> None:
    publish(finished)
    for guess in (finished.made["id"], "A" * 22, "A" * 21, "%00" * 22):
        assert get(finished, f"/v1/replays/{guess}").status_code == 404


def test_a_link_has_a_preview_for_chats(finished: Sitting) -> None:
    link = publish(finished)
    page = get(finished, link["page"], Accept_Language="de")
    tags = dict(re.findall(r'<meta property="og:([\w:]+)" content="([^"]*)">', page.text))
    assert tags["image"] == f"http://localhost{link['url']}/preview"
    assert tags["url"] == f"http://localhost{link['page']}"
    assert "Dorfplatz" in tags["title"]
    assert tags["description"]
    assert 'name="robots" content="noindex"' in page.text
    assert "og:" not in get(finished, "/play").text
    assert page.headers["Content-Security-Policy"] == get(finished, "/play").headers["Content-Security-Policy"]


def test_a_link_lives_as_long_as_the_session_at_the_last_request(
    app: Flask, finished: Sitting, redis_client: redis.Redis
) -> None:
    with freeze(app, Clock()):
        session = keys.session(finished.made["id"])
        redis_client.pexpire(session, 50_000)
        link = publish(finished)
        assert 0 < redis_client.pttl(keys.replay(link["id"])) <= 50_000
        redis_client.pexpire(session, 3_600_000)
        again = publish(finished)
        assert again["id"] == link["id"]
        assert redis_client.pttl(keys.replay(link["id"])) > 3_000_000
        assert again["expires_at"] > link["expires_at"]
        redis_client.delete(keys.replay(link["id"]))
        assert code_of(finished.call("owner", "GET", "/replay-link")) == "unknown-replay"
        assert publish(finished)["id"] == link["id"]


@pytest.mark.parametrize(
    ("proxies", "forwarded", "scheme"),
    [
        (0, "https", "http"),
        (1, None, "http"),
        (1, "https", "https"),
        (1, "http, HTTPS", "https"),
        (2, "https, http", "https"),
        (2, "https", "https"),
        (1, "javascript", "http"),
    ],
)
def test_absolute_addresses_have_the_scheme_that_a_trusted_proxy_saw(
    redis_url: str, proxies: int, forwarded: str | None, scheme: str
) -> None:
    settings = Settings(redis_url=redis_url, log_level="critical", trusted_proxies=proxies)
    sitting = sit(create_app(settings, {GAME.slug: GAME}))
    sitting.play_out()
    link = publish(sitting)
    sent = {} if forwarded is None else {"X_Forwarded_Proto": forwarded}
    assert f'content="{scheme}://localhost{link["url"]}/preview"' in get(sitting, link["page"], **sent).text
    assert f"{scheme}://localhost/docs" in get(sitting, "/llms.txt", **sent).text
    assert get(sitting, "/openapi.json", **sent).json["externalDocs"]["url"] == f"{scheme}://localhost/docs"  # type: ignore[index]
