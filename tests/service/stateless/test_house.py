"""Common properties of all responses, and the service's description of itself."""

import json
import os
import re
from typing import NoReturn

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient

from games.core.registry import registered
from service.app import create_app
from service.http.problems import PROBLEMS, TEXTS, Problem
from service.http.response import EXPOSED
from service.settings import OPEN_QUOTAS, Limits, Settings
from tests.figures import figures_of
from tests.service.kit import PEBBLES, application

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


def problem(client: FlaskClient, method: str, path: str, **headers: str) -> tuple[int, str]:
    answer = client.open(path, method=method, headers=headers)
    assert answer.mimetype == "application/problem+json"
    assert answer.json is not None
    return answer.status_code, answer.json["code"]


# Ids.


def test_every_answer_has_a_request_id_the_caller_s_own_where_it_is_well_formed(pebbles: FlaskClient) -> None:
    own = pebbles.get("/healthz", headers={"Request-Id": "abc-1.2_3"})
    assert own.headers["Request-Id"] == "abc-1.2_3"
    for foreign in ("", "x" * 65, "white space", "a/b"):
        made = pebbles.get("/nowhere", headers={"Request-Id": foreign}).headers["Request-Id"]
        assert re.fullmatch(r"[0-9a-f]{32}", made)


def test_a_traceparent_is_taken_up_and_passed_on(pebbles: FlaskClient) -> None:
    answer = pebbles.get("/nowhere", headers={"traceparent": f"00-{TRACE}-00f067aa0ba902b7-01"})
    assert answer.json is not None
    assert answer.json["trace_id"] == TRACE
    assert re.fullmatch(rf"00-{TRACE}-[0-9a-f]{{16}}-01", answer.headers["traceparent"])
    assert "00f067aa0ba902b7" not in answer.headers["traceparent"]


@pytest.mark.parametrize(
    "given",
    [
        "",
        "nonsense",
        f"00-{'0' * 32}-00f067aa0ba902b7-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"ff-{TRACE}-00f067aa0ba902b7-01",
        f"00-{TRACE.upper()}-00f067aa0ba902b7-01",
    ],
    ids=["empty", "nonsense", "no trace", "no span", "no version", "upper case"],
)
def test_a_traceparent_that_is_none_begins_a_new_trace(pebbles: FlaskClient, given: str) -> None:
    answer = pebbles.get("/nowhere", headers={"traceparent": given})
    assert answer.json is not None
    assert re.fullmatch(r"[0-9a-f]{32}", answer.json["trace_id"])
    assert answer.json["trace_id"] not in {TRACE, "0" * 32}


# Errors of no operation.


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/v1", 404, "not-found"),
        ("GET", "/v1/games/", 404, "not-found"),
        ("GET", "//v1/games", 404, "not-found"),
        ("GET", "/v1/games/chess", 404, "unknown-game"),
        ("GET", "/v1/games/chess/rules", 404, "unknown-game"),
        ("GET", "/v1/games/%00", 404, "unknown-game"),
        ("GET", "/docs/secrets", 404, "not-found"),
        ("GET", "/docs/..%2fapp.py", 400, "invalid-path"),
        ("POST", "/v1/games", 405, "method-not-allowed"),
        ("DELETE", "/healthz", 405, "method-not-allowed"),
        ("GET", f"{PEBBLES}/moves", 405, "method-not-allowed"),
        ("TRACE", "/healthz", 405, "method-not-allowed"),
        ("BREW", "/healthz", 405, "method-not-allowed"),
        ("GET", "/v1/limits?x=1", 422, "invalid-query"),
        ("GET", "/v1/games?page=2", 422, "invalid-query"),
    ],
)
def test_wrong_addresses_and_methods_fail(pebbles: FlaskClient, method: str, path: str, status: int, code: str) -> None:
    assert problem(pebbles, method, path) == (status, code)


def test_405_names_the_methods_that_are_allowed(pebbles: FlaskClient) -> None:
    allowed = pebbles.get(f"{PEBBLES}/moves").headers["Allow"]
    assert set(allowed.split(", ")) == {"POST", "OPTIONS"}


@pytest.fixture
def failing() -> Flask:
    app = application()

    def broken() -> NoReturn:
        held = "the queen of hearts"
        raise ZeroDivisionError(held)

    def lost() -> NoReturn:
        raise redis.exceptions.TimeoutError("Timeout reading from 10.0.0.1:6379")

    def full() -> NoReturn:
        raise redis.exceptions.OutOfMemoryError

    def unsaved() -> NoReturn:
        raise redis.exceptions.ResponseError("MISCONF Errors writing to the AOF file: No space left on device")

    def alone() -> NoReturn:
        raise redis.exceptions.ResponseError("Command # 1 (SET a 1) of pipeline caused error: NOREPLICAS Not enough.")

    def wrong() -> NoReturn:
        raise redis.exceptions.ResponseError("WRONGTYPE Operation against a key holding the queen")

    for view in (broken, lost, full, unsaved, alone, wrong):
        app.add_url_rule(f"/{view.__name__}", view_func=view)
    return app


def test_an_unforeseen_error_is_a_500_without_a_word_of_it(failing: Flask, capsys: pytest.CaptureFixture[str]) -> None:
    assert problem(failing.test_client(), "GET", "/wrong") == (500, "internal-error")
    answer = failing.test_client().get("/broken", headers={"traceparent": f"00-{TRACE}-00f067aa0ba902b7-01"})
    assert answer.status_code == 500
    assert answer.json is not None
    assert (answer.json["code"], answer.json["trace_id"]) == ("internal-error", TRACE)
    assert "queen" not in answer.text
    assert "ZeroDivision" not in answer.text
    assert "queen" not in capsys.readouterr().err


def test_the_log_of_an_unforeseen_error_names_places_and_no_values(capsys: pytest.CaptureFixture[str]) -> None:
    app = create_app(Settings(log_level="error"), {})

    def broken() -> NoReturn:
        held = "the queen of hearts"
        raise ZeroDivisionError(held)

    app.add_url_rule("/broken", view_func=broken)
    app.test_client().get("/broken", headers={"traceparent": f"00-{TRACE}-00f067aa0ba902b7-01"})
    line = json.loads(capsys.readouterr().err)
    assert (line["kind"], line["trace_id"]) == ("ZeroDivisionError", TRACE)
    assert line["places"][-1].endswith("broken")
    assert "queen" not in json.dumps(line)


@pytest.mark.parametrize("path", ["/lost", "/full", "/unsaved", "/alone"])
def test_redis_away_is_a_503_with_retry_after(failing: Flask, path: str) -> None:
    answer = failing.test_client().get(path)
    assert answer.status_code == 503
    assert answer.json is not None
    assert answer.json["code"] == "store-away"
    assert int(answer.headers["Retry-After"]) > 0
    assert "10.0.0.1" not in answer.text


# Health.


def test_health_needs_no_redis_and_readiness_does(pebbles: FlaskClient, redis_url: str) -> None:
    assert pebbles.get("/healthz").json == {"status": "ok"}
    assert problem(pebbles, "GET", "/readyz") == (503, "store-away")
    assert application(redis_url=redis_url).test_client().get("/readyz").json == {"status": "ok"}


def test_metrics_count_by_route_and_name_no_game_seat_or_id(pebbles: FlaskClient) -> None:
    pebbles.get("/v1/games/pebbles")
    pebbles.get("/v1/games/very-secret-name")
    pebbles.get("/very-secret-path")
    page = figures_of(pebbles.application)
    assert 'dorfplatz_requests_total{method="GET",route="/v1/games/<game>",status="200"}' in page
    assert 'dorfplatz_requests_total{method="GET",route="none",status="404"}' in page
    assert "secret" not in page
    assert set(re.findall(r"(\w+)=\"", page)) == {"method", "route", "status", "le"}


def test_the_log_names_the_route_and_no_path_query_token_or_body(capsys: pytest.CaptureFixture[str]) -> None:
    client = create_app(Settings(log_level="info"), {}).test_client()
    client.get("/v1/games/hush?ticket=hush", headers={"Authorization": "Bearer hush", "Request-Id": "r1"})
    line = json.loads(capsys.readouterr().err)
    assert {name: line[name] for name in ("event", "method", "route", "status", "request_id")} == {
        "event": "answered",
        "method": "GET",
        "route": "/v1/games/<game>",
        "status": 404,
        "request_id": "r1",
    }
    assert "hush" not in json.dumps(line)


# The contract describes itself.


def test_limits_are_those_of_the_settings(pebbles: FlaskClient) -> None:
    assert pebbles.get("/v1/limits").json == {name: getattr(Limits(), name) for name in Limits.__slots__}
    answer = application(body_bytes=999).test_client().get("/v1/limits").json
    assert answer is not None
    assert answer["body_bytes"] == 999


def test_settings_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "REDIS_URL": "redis://elsewhere:1/2",
        "SECRET_KEY": "k",
        "CORS_ORIGINS": "https://a.example,https://b.example",
        "LOG_LEVEL": "error",
        "LIMIT_BODY_BYTES": "1000",
    }.items():
        monkeypatch.setenv(name, value)
    settings = Settings.from_env()
    assert settings.redis_url == "redis://elsewhere:1/2"
    assert settings.cors_origins == ("https://a.example", "https://b.example")
    assert (settings.secret_key, settings.log_level, settings.limits.body_bytes) == ("k", "error", 1000)
    assert "k" not in repr(settings).replace("'", "").split("(")[1].split("=")


def test_one_setting_turns_the_quotas_of_callers_without_a_key_off(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(("LIMIT_", "OPEN_QUOTAS"))]:
        monkeypatch.delenv(name)
    usual = {bound: getattr(Settings.from_env().limits, bound) for bound in OPEN_QUOTAS}
    assert usual == OPEN_QUOTAS
    assert all(usual.values())
    monkeypatch.setenv("LIMIT_OPEN_SESSIONS_PER_HOUR", "7")
    assert Settings.from_env().limits.open_sessions_per_hour == 7
    monkeypatch.delenv("LIMIT_OPEN_SESSIONS_PER_HOUR")
    monkeypatch.setenv("OPEN_QUOTAS", "false")
    assert Settings.from_env().limits == Limits(open_jobs_per_caller=0)
    assert not any(getattr(Limits(), bound) for bound in OPEN_QUOTAS)


def test_a_wait_longer_than_the_contract_allows_is_refused_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIMIT_WAIT_SECONDS", "26")
    with pytest.raises(ValueError, match="LIMIT_WAIT_SECONDS is at most 25"):
        Settings.from_env()


def test_every_problem_has_a_title_and_a_detail_in_every_language(pebbles: FlaskClient) -> None:
    listed = pebbles.get("/v1/problems").json
    assert listed is not None
    assert [entry["code"] for entry in listed] == list(PROBLEMS)
    assert [entry["status"] for entry in listed] == list(PROBLEMS.values())
    for entry in listed:
        assert entry["type"] == f"/v1/problems#{entry['code']}"
        assert set(entry["titles"]) == {"de", "en", "it"}
    for language in ("de", "en", "it"):
        sections = TEXTS.sections[language]
        assert list(sections["titles"]) == list(sections["details"]) == list(PROBLEMS)
        assert sections.keys() == TEXTS.sections["en"].keys()
        assert sections["faults"].keys() == TEXTS.sections["en"]["faults"].keys()


def test_a_problem_that_is_not_in_the_table_cannot_be_raised() -> None:
    with pytest.raises(KeyError):
        Problem("no-such-problem")


def test_a_game_described_in_another_language_has_another_etag(pebbles: FlaskClient) -> None:
    tags = {
        language: pebbles.get("/v1/games/pebbles", headers={"Accept-Language": language}).headers["ETag"]
        for language in ("de", "en", "it")
    }
    assert len(set(tags.values())) == 3


@pytest.mark.parametrize("slug", sorted(registered()))
def test_a_game_is_described_whole(slug: str) -> None:
    client = application(registered()).test_client()
    game = registered()[slug]
    for language in ("de", "en", "it"):
        told = client.get(f"/v1/games/{slug}", headers={"Accept-Language": language}).json
        assert told is not None
        assert told["game"] == slug
        assert set(told["names"]) == {"de", "en", "it"}
        assert told["seat_counts"]["allowed"] == list(game.seat_numbers)
        assert set(told["seat_counts"]["teams"]) == {str(number) for number in game.seat_numbers}
        assert set(told["options"]["schema"]["properties"]) == set(game.options_type.__struct_fields__)
        assert set(told["options"]["presets"]) == set(game.presets)
        assert {source["name"] for source in told["options"]["sources"]} == set(game.provenance)
        assert [phase["key"] for phase in told["phases"]] == list(game.phases)
        assert len(told["moves"]) == len(game.moves)
        assert all(part["text"] for name in ("phases", "information", "chance") for part in told[name])
        cards = client.get("/v1/games", headers={"Accept-Language": language}).json
        (card,) = [entry for entry in cards or [] if entry["game"] == slug]
        assert card.items() <= told.items()
        names = game.texts.sections[language]["names"]
        assert (told["summary"], told["goal"]) == (names["summary"], names["goal"])
        assert (told["minutes"]["min"], told["minutes"]["max"]) == game.minutes
        assert told["difficulty"] == game.difficulty
    rules = client.get(f"/v1/games/{slug}/rules").json
    assert rules is not None
    assert [rule["id"] for rule in rules] == [rule.id for rule in game.rules]
    assert any(rule["decision"] for rule in rules)


@pytest.mark.parametrize(
    ("asked", "given"),
    [
        ("de", "de"),
        ("de-CH", "de"),
        ("DE", "de"),
        ("fr, it;q=0.3", "it"),
        ("en;q=0.1, de;q=0.2", "de"),
        ("de;q=0", "en"),
        ("fr", "en"),
        ("*", "en"),
        ("", "en"),
        (";;;,,q=", "en"),
    ],
)
def test_the_language_is_the_one_liked_best(pebbles: FlaskClient, asked: str, given: str) -> None:
    answer = pebbles.get("/nowhere", headers={"Accept-Language": asked})
    assert answer.headers["Content-Language"] == given
    assert "Accept-Language" in answer.headers["Vary"]


# Browsers.


def test_any_origin_may_read_everything_that_is_exposed_and_no_cookie_is_asked_for(pebbles: FlaskClient) -> None:
    answer = pebbles.get("/v1/games", headers={"Origin": "https://somewhere.example"})
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert set(answer.headers["Access-Control-Expose-Headers"].split(", ")) == set(EXPOSED)
    assert "Access-Control-Allow-Credentials" not in answer.headers
    assert "Set-Cookie" not in answer.headers


def test_a_preflight_lets_every_header_of_the_contract_through(pebbles: FlaskClient) -> None:
    asked = "authorization, if-match, idempotency-key, content-type, accept-language, traceparent"
    answer = pebbles.options(
        f"{PEBBLES}/moves",
        headers={
            "Origin": "https://somewhere.example",
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": asked,
        },
    )
    assert answer.status_code == 200
    assert {name.strip() for name in answer.headers["Access-Control-Allow-Headers"].split(",")} == set(
        asked.split(", ")
    )
    assert "POST" in answer.headers["Access-Control-Allow-Methods"]


def test_only_configured_origins_are_let_in_where_some_are() -> None:
    client = create_app(Settings(log_level="critical", cors_origins=("https://ours.example",)), {}).test_client()
    for _ in range(2):  # the second time from the cache of the first
        ours = client.get("/healthz", headers={"Origin": "https://ours.example"})
        theirs = client.get("/healthz", headers={"Origin": "https://theirs.example"})
        assert ours.headers.getlist("Access-Control-Allow-Origin") == ["https://ours.example"]
        assert "Access-Control-Allow-Origin" not in theirs.headers


def test_nan_never_leaves_the_service(pebbles_app: Flask) -> None:
    assert pebbles_app.json.dumps({"share": float("nan")}) == '{"share":null}'
