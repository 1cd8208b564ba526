"""A rotated API key keeps its sessions, jobs and webhooks; the secret before it is valid for a while."""

import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from click.testing import CliRunner, Result
from flask import Flask
from redis import Redis

from service.__main__ import cli
from service.auth import api_keys
from service.auth.api_keys import JOBS, PLAY_SCOPE, WEBHOOKS, ApiKey, KeyStore
from service.settings import HOUR_MS
from tests.service.kit import Clock, application, code_of

PEBBLES = {"game": "pebbles", "seats": [{"kind": "human"}, {"kind": "human"}]}
BOTS = [{"bot": {"level": "random"}}] * 2


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    moved = Clock()
    monkeypatch.setattr(api_keys, "_now", moved)
    return moved


@pytest.fixture
def app(redis_url: str) -> Flask:
    return application(redis_url=redis_url)


@pytest.fixture
def store(redis_client: Redis) -> KeyStore:
    return KeyStore(redis_client)


@pytest.fixture
def made(store: KeyStore) -> tuple[ApiKey, str]:
    return store.add("back end", [PLAY_SCOPE, JOBS, WEBHOOKS], requests_per_minute=500)


def call(app: Flask, text: str, path: str, method: str = "GET", body: Any = None) -> Any:
    return app.test_client().open(path, method=method, json=body, headers={"Api-Key": text})


def opens(app: Flask, *texts: str) -> list[bool]:
    return [call(app, text, "/v1/keys/current").status_code == 200 for text in texts]


def rotated(store: KeyStore, key: ApiKey, overlap_ms: int = HOUR_MS) -> str:
    text = store.rotate(key.id, overlap_ms)
    assert text is not None
    return text


def test_sessions_jobs_and_webhooks_stay_with_the_key(app: Flask, store: KeyStore, made: tuple[ApiKey, str]) -> None:
    key, old = made
    session = call(app, old, "/v1/sessions", "POST", PEBBLES).json["id"]
    simulation = {"game": "pebbles", "seats": BOTS, "games": 5}
    job = call(app, old, "/v1/jobs/simulations", "POST", simulation).json["id"]
    hook = call(app, old, "/v1/webhooks", "POST", {"url": "https://hooks.example/"}).json["id"]
    new = rotated(store, key)
    for text in (new, old):
        for kind, name in (("sessions", session), ("jobs", job), ("webhooks", hook)):
            path = f"/v1/{kind}"
            assert [each["id"] for each in call(app, text, path).json[kind]] == [name]
            assert call(app, text, f"{path}/{name}").status_code == 200
    assert call(app, new, f"/v1/sessions/{session}", "DELETE").status_code == 204
    kept = store.by_id(key.id)
    assert kept is not None
    assert (kept.name, kept.scopes, kept.made, kept.requests_per_minute) == (key.name, key.scopes, key.made, 500)


def test_the_old_secret_ends_after_the_overlap(
    app: Flask, store: KeyStore, made: tuple[ApiKey, str], clock: Clock
) -> None:
    key, old = made
    new = rotated(store, key)
    assert ["expires_at" in call(app, text, "/v1/keys/current").json for text in (new, old)] == [False, True]
    clock.now += HOUR_MS - 1
    assert opens(app, new, old) == [True, True]
    clock.now += 1
    assert opens(app, new, old) == [True, False]


def test_a_second_rotation_ends_the_oldest_secret_and_no_overlap_ends_all(
    app: Flask, store: KeyStore, made: tuple[ApiKey, str]
) -> None:
    key, first = made
    second, third = rotated(store, key), rotated(store, key)
    assert opens(app, first, second, third) == [False, True, True]
    assert opens(app, rotated(store, key, 0), first, second, third) == [True, False, False, False]


def test_the_store_has_no_secret(store: KeyStore, made: tuple[ApiKey, str], redis_client: Redis) -> None:
    new = rotated(store, made[0])
    written = repr(redis_client.hgetall(api_keys.ALL))
    for text in (made[1], new):
        assert text.split("_", 2)[2] not in written


def test_a_revoked_key_is_not_brought_back_by_a_rotation(store: KeyStore, redis_url: str) -> None:
    other = KeyStore(Redis.from_url(redis_url))
    for _ in range(20):
        key, _ = store.add("back end", [PLAY_SCOPE])
        with ThreadPoolExecutor(2) as pool:
            rotating, revoking = pool.submit(store.rotate, key.id, HOUR_MS), pool.submit(other.revoke, key.id)
            rotating.result(20)
            assert revoking.result(20)
        assert store.by_id(key.id) is None


def test_the_command_prints_the_new_key(
    app: Flask, made: tuple[ApiKey, str], redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REDIS_URL", redis_url)

    def run(*words: str) -> Result:
        return CliRunner().invoke(cli, ["keys", "rotate", *words])

    done = run(made[0].id, "--overlap-hours", "0")
    assert done.exit_code == 0, done.output
    (text,) = re.findall(r"^dorf_\S+$", done.stdout, re.MULTILINE)
    assert opens(app, made[1], text) == [False, True]
    refused = run("0" * 12)
    assert refused.exit_code == 1
    assert "there is no key 000000000000" in refused.output


def test_a_wrong_secret_of_a_rotated_key_opens_nothing(app: Flask, store: KeyStore, made: tuple[ApiKey, str]) -> None:
    key, old = made
    rotated(store, key)
    other = store.add("other", [PLAY_SCOPE])[1]
    refused = call(app, f"dorf_{key.id}_{other.split('_', 2)[2]}", "/v1/keys/current")
    assert (refused.status_code, code_of(refused)) == (401, "unknown-key")
    assert opens(app, old) == [True]
