"""Headers that every answer has, preconditions of reads, and the documents that a service owes to strangers."""

from datetime import UTC, datetime, timedelta

import pytest
from flask.testing import FlaskClient

from service.app import create_app
from service.settings import Limits, Settings

READS = ["/v1/games", "/v1/games/pebbles", "/v1/games/pebbles/rules", "/v1/games/pebbles/reference", "/openapi.json"]
FILES = ["/docs", "/docs/assets/site.js", "/docs/reference/listGames", "/docs/pictures/pebbles/2-en-dark.svg"]


@pytest.mark.parametrize("path", [*READS, *FILES, "/", "/v1/limits", "/v1/problems", "/healthz", "/nowhere"])
def test_every_answer_says_how_long_it_is_kept_and_that_its_type_holds(pebbles: FlaskClient, path: str) -> None:
    with pebbles.get(path) as answer:
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        kept = answer.headers["Cache-Control"]
    assert kept == ("no-cache" if path in {*READS, *FILES} else "no-store")
    assert len(answer.headers.getlist("Cache-Control")) == 1


def test_responses_to_a_seat_are_not_cached(pebbles: FlaskClient) -> None:
    snapshot = pebbles.post("/v1/games/pebbles/snapshots", json={"seat_count": 2}).json
    assert snapshot is not None
    for body in ({"snapshot": snapshot["snapshot"], "seat": 0}, {"seat": 0}):
        answer = pebbles.post("/v1/games/pebbles/views", json=body)
        assert (answer.headers["Cache-Control"], answer.headers["X-Content-Type-Options"]) == ("no-store", "nosniff")


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("path", [*READS, *FILES])
def test_a_read_of_another_version_than_named_is_a_problem(pebbles: FlaskClient, path: str, method: str) -> None:
    with pebbles.open(path, method=method, headers={"If-Match": '"other"'}) as answer:
        assert (answer.status_code, answer.mimetype) == (412, "application/problem+json")
        text = answer.get_data(as_text=True)
    if method == "GET":
        assert answer.json is not None
        assert answer.json["code"] == "precondition-failed"
    assert len(text) < 500


@pytest.mark.parametrize("path", [*READS, *FILES])
def test_a_read_of_the_version_that_the_caller_names_is_answered(pebbles: FlaskClient, path: str) -> None:
    with pebbles.get(path) as first:
        tag = first.headers["ETag"]
    for named in (tag, "*", f'"other", {tag}'):
        with pebbles.get(path, headers={"If-Match": named}) as again:
            assert again.status_code == 200
    for headers in ({"If-Match": tag, "If-None-Match": tag}, {"If-None-Match": tag}, {"If-None-Match": f"W/{tag}"}):
        with pebbles.get(path, headers=headers) as known:
            assert (known.status_code, known.data, known.headers["ETag"]) == (304, b"", tag)
    with pebbles.get(path, headers={"If-None-Match": '"other"'}) as other:
        assert other.status_code == 200
    with pebbles.get(path, headers={"If-Match": '"other"', "If-None-Match": tag}) as stale:
        assert stale.status_code == 412


def test_security_txt_names_the_operator_s_contacts_and_a_day_to_come() -> None:
    contacts = ("mailto:security@dorfplatz.example", "https://dorfplatz.example/security")
    settings = Settings(log_level="critical", security_contacts=contacts)
    answer = create_app(settings, {}).test_client().get("/.well-known/security.txt")
    assert answer.content_type == "text/plain; charset=utf-8"
    fields = [line.split(": ", 1) for line in answer.text.splitlines()]
    assert [value for name, value in fields if name == "Contact"] == list(contacts)
    (expires,) = (datetime.fromisoformat(value) for name, value in fields if name == "Expires")
    assert timedelta(days=28) < expires - datetime.now(UTC) < timedelta(days=365)


def test_without_a_contact_there_is_no_security_txt(pebbles: FlaskClient) -> None:
    assert pebbles.get("/.well-known/security.txt").status_code == 404


@pytest.mark.parametrize("contact", ["security@dorfplatz.example", "mailto:", "mailto:a@b\nContact: mailto:c@d"])
def test_a_contact_is_an_address(contact: str) -> None:
    with pytest.raises(ValueError, match="SECURITY_CONTACTS"):
        Settings(security_contacts=(contact,))


def test_contacts_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECURITY_CONTACTS", "mailto:a@b.example, https://b.example/c")
    assert Settings.from_env().security_contacts == ("mailto:a@b.example", "https://b.example/c")


def test_the_long_documents_are_counted_where_requests_are(redis_url: str) -> None:
    limits = Limits(open_requests_per_minute=2)
    client = create_app(Settings(redis_url=redis_url, log_level="critical", limits=limits), {}).test_client()
    answers = []
    for path in ("/openapi.json", "/docs", "/docs/assets/site.js", "/openapi.json", "/healthz"):
        with client.get(path) as answer:
            answers.append(answer.status_code)
    assert answers == [200, 200, 429, 429, 200]
