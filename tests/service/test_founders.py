"""Owners: an API key lists its sessions and jobs and sees their state; hidden information stays hidden."""

from typing import Any

import pytest
import redis
from flask import Flask
from redis import Redis

from service.auth.api_keys import JOBS, PLAY_SCOPE, KeyStore
from service.store import keys
from service.store.owner_index import MIN_ORPHAN_AGE_MS, OwnerIndex, entry_of
from tests.service.kit import PEOPLE, SESSIONS, Sitting, application, bid

NEW = {"game": "pebbles", "seats": [*PEOPLE], "seed": "noon", "spectators": "none"}
SIMULATION = {"game": "pebbles", "seats": [{"bot": {"level": "random"}}] * 2, "games": 4}
HIDDEN_FIELDS = {"view", "legal_moves", "picture_url", "stream_url", "headline", "fairness", "options"}


@pytest.fixture(scope="module")
def app(redis_server: str) -> Flask:
    return application(redis_url=redis_server)


@pytest.fixture
def key(redis_client: Redis) -> dict[str, str]:
    return {"Api-Key": KeyStore(redis_client).add("back end", (PLAY_SCOPE, JOBS))[1]}


def create_session(app: Flask, key: dict[str, str], **body: Any) -> Sitting:
    answer = app.test_client().post(SESSIONS, json=NEW | body, headers=key)
    assert answer.status_code == 201, answer.text
    return Sitting(app, answer.json)  # type: ignore[arg-type]


def listed(app: Flask, key: dict[str, str], path: str) -> Any:
    answer = app.test_client().get(path, headers=key)
    assert answer.status_code == 200, answer.text
    return answer.json


def pages(app: Flask, key: dict[str, str], path: str, part: str) -> list[str]:
    ids, following = list[str](), path
    while following:
        page = listed(app, key, following)
        ids += [member["id"] for member in page[part]]
        following = page.get("next", "")
    return ids


@pytest.mark.parametrize("query", ["open=false", "status=running", "since=2020-01-01T00:00:00%2B01:00", "game=pebbles"])
def test_every_filter_holds_on_the_next_page(app: Flask, key: dict[str, str], query: str) -> None:
    ids = [create_session(app, key).made["id"] for _ in range(3)]
    assert pages(app, key, f"{SESSIONS}?limit=2&{query}", "sessions") == ids[::-1]


def test_a_founder_sees_how_the_session_stands_and_nothing_of_the_table(app: Flask, key: dict[str, str]) -> None:
    sitting = create_session(app, key, clock={"move_ms": 60_000, "policy": "random"})
    by_token, by_key = sitting.look("owner"), app.test_client().get(sitting.here, headers=key)
    told: Any = by_key.json
    assert by_token.json == told
    assert (told["status"], told["actors"], told["version"]) == ("running", [0, 1], 1)
    assert [seat["kind"] for seat in told["seats"]] == ["human", "human"]
    assert [deadline["seat"] for deadline in told["deadlines"]] == [0, 1]
    assert told["created_at"] == sitting.made["created_at"] < told["expires_at"] == sitting.made["expires_at"]
    assert not HIDDEN_FIELDS & told.keys()
    again = app.test_client().get(sitting.here, headers={**key, "If-None-Match": by_key.headers["ETag"]})
    assert again.status_code == 304
    assert sitting.look("owner", "/presence").json == {"asked": [0, 1], "answered": [], "connected": []}


def test_a_founder_sees_the_outcome_and_not_the_truth(app: Flask, key: dict[str, str]) -> None:
    sitting = create_session(app, key)
    sitting.play_out()
    told: Any = sitting.look("owner").json
    assert told["status"] == "finished"
    assert sorted(told["outcome"]["rewards"]) == [0.0, 1.0]
    assert not HIDDEN_FIELDS & told.keys()
    for part in ("/history", "/replay", "/picture", "/events", "/fairness"):
        assert sitting.look("owner", part).status_code == 403
        assert app.test_client().get(sitting.here + part, headers=key).status_code == 403


def test_a_hidden_move_moves_nothing_that_a_founder_sees(app: Flask, key: dict[str, str]) -> None:
    sitting = create_session(app, key)
    seen = [sitting.look("owner"), app.test_client().get(SESSIONS, headers=key)]
    answers = sitting.call(1, "PUT", "/standing-answers", json={"answers": []})
    assert (answers.status_code, sitting.move(0, bid(2)).status_code) == (200, 201)
    after = [sitting.look("owner"), app.test_client().get(SESSIONS, headers=key)]
    assert [answer.data for answer in after] == [answer.data for answer in seen]
    assert after[0].headers["ETag"] == seen[0].headers["ETag"]
    sitting.move(1, bid(1))
    assert sitting.look("owner").json["expires_at"] > seen[0].json["expires_at"]  # type: ignore[index]


def test_only_the_key_that_founded_a_session_stands_for_its_owner(app: Flask, redis_client: redis.Redis) -> None:
    store = KeyStore(redis_client)
    founder, other = store.add("a", (PLAY_SCOPE,)), store.add("b", (PLAY_SCOPE,))
    mine = {"Api-Key": founder[1]}
    sitting = create_session(app, mine)
    client = app.test_client()
    assert client.get(sitting.here, headers={"Api-Key": other[1]}).status_code == 401
    assert client.get(sitting.here + "/legal-moves", headers=mine).status_code == 401
    assert client.get(sitting.here, headers={**mine, **sitting.token(0)}).json["you"] == {"seat": 0}  # type: ignore[index]
    assert listed(app, {"Api-Key": other[1]}, SESSIONS) == {"sessions": []}
    assert client.delete(sitting.here, headers={"Api-Key": other[1]}).status_code == 401
    assert client.delete(sitting.here, headers=mine).status_code == 204
    assert client.get(sitting.here, headers=mine).json["status"] == "aborted"  # type: ignore[index]
    assert client.get(SESSIONS).status_code == 401


def test_sessions_are_listed_newest_first_in_pages_that_filters_leave_whole(app: Flask, key: dict[str, str]) -> None:
    made = [create_session(app, key).made["id"] for _ in range(3)]
    batch = app.test_client().post("/v1/sessions:batch", json={"sessions": [NEW] * 4}, headers=key)
    made += [each["id"] for each in batch.json["sessions"]]  # type: ignore[index]
    Sitting(app, batch.json["sessions"][1]).play_out()  # type: ignore[index]
    over = batch.json["sessions"][1]["id"]  # type: ignore[index]
    every = listed(app, key, SESSIONS)["sessions"]
    assert {each["id"] for each in every} == set(made)
    times = [each["created_at"] for each in every]
    assert times == sorted(times, reverse=True)
    for limit in (1, 2, 3, 7):
        assert pages(app, key, f"{SESSIONS}?limit={limit}&game=pebbles", "sessions") == [each["id"] for each in every]
    assert pages(app, key, f"{SESSIONS}?status=finished&limit=2", "sessions") == [over]
    assert listed(app, key, f"{SESSIONS}?status=finished")["sessions"][0]["outcome"]["headline"]
    assert {each["id"] for each in every if each["created_at"] >= times[0]} <= set(
        pages(app, key, f"{SESSIONS}?since={times[0]}", "sessions")
    )
    assert pages(app, key, f"{SESSIONS}?since=2100-01-01T00:00:00Z", "sessions") == []


@pytest.mark.parametrize(
    "query",
    ["game=chess", "status=done", "since=yesterday", "since=2026-01-01", "after=x", "limit=0", "limit=101", "x=1"],
)
def test_a_filter_that_is_none_is_refused(app: Flask, key: dict[str, str], query: str) -> None:
    answer = app.test_client().get(f"{SESSIONS}?{query}", headers=key)
    assert (answer.status_code, answer.json["code"]) == (422, "invalid-query")  # type: ignore[index]


def test_a_repeated_founding_is_listed_once(app: Flask, key: dict[str, str], redis_client: redis.Redis) -> None:
    named = {**key, "Idempotency-Key": "table-1"}
    sitting = create_session(app, named)
    redis_client.delete(*redis_client.scan_iter("o:*"))
    assert create_session(app, named).made["id"] == sitting.made["id"]
    assert pages(app, key, SESSIONS, "sessions") == [sitting.made["id"]]


def test_an_index_drops_and_outlives_no_session(app: Flask, key: dict[str, str], redis_client: redis.Redis) -> None:
    gone, kept = create_session(app, key).made["id"], create_session(app, key)
    founder = key["Api-Key"].split("_")[1]
    redis_client.delete(keys.session(gone), keys.log(gone))
    assert pages(app, key, SESSIONS, "sessions") == [kept.made["id"]]
    index = keys.index_key(kept.made["id"], founder)
    redis_client.pexpire(index, 1_000)
    kept.move(0, bid(1))
    assert redis_client.pttl(index) >= redis_client.pttl(keys.session(kept.made["id"])) > 1_000


def test_an_index_forgets_what_names_nothing_as_fast_as_new_names_come(redis_client: redis.Redis) -> None:
    index, now = OwnerIndex(redis_client), 10 * MIN_ORPHAN_AGE_MS
    for number in range(60):
        index.add("index", "thing:{}".format, [entry_of(number, f"old{number}")], 60_000)
    assert redis_client.zcard("index") == 60
    for number in range(60):
        redis_client.set(f"thing:new{number}", "")
        index.add("index", "thing:{}".format, [entry_of(now + number, f"new{number}")], 60_000)
    entries = index.page(["index"], "", now, 100)
    assert entries == [entry_of(now + number, f"new{number}") for number in reversed(range(60))]
    assert redis_client.zcard("index") < 80
    index.forget("index", entries[0], now + 59 + MIN_ORPHAN_AGE_MS)
    assert index.page(["index"], "", now, 1) == entries[:1]
    index.forget("index", entries[0], now + 60 + MIN_ORPHAN_AGE_MS)
    assert index.page(["index"], "", now, 1) == entries[1:2]
    assert 0 < redis_client.pttl("index") <= 60_000


def test_jobs_are_listed_newest_first_for_the_key_that_made_them(app: Flask, key: dict[str, str]) -> None:
    client = app.test_client()
    made = [client.post("/v1/jobs/simulations", json=SIMULATION, headers=key).json["id"] for _ in range(3)]  # type: ignore[index]
    client.post("/v1/jobs/simulations", json=SIMULATION)
    client.delete(f"/v1/jobs/{made[1]}", headers=key)
    assert set(pages(app, key, "/v1/jobs?limit=2", "jobs")) == set(made)
    assert pages(app, key, "/v1/jobs?state=canceled", "jobs") == [made[1]]
    assert len(pages(app, key, "/v1/jobs?game=pebbles&since=2020-01-01T00:00:00Z", "jobs")) == 3
    shown = listed(app, key, "/v1/jobs")["jobs"]
    assert [job["created_at"] for job in shown] == sorted((job["created_at"] for job in shown), reverse=True)
    assert set(shown[0]) == {"id", "kind", "game", "state", "progress", "cost", "created_at", "expires_at"}
    assert client.get("/v1/jobs").status_code == 401


def test_the_founding_key_acts_as_owner_and_no_other(app: Flask, key: dict[str, str], redis_client: Redis) -> None:
    sitting = create_session(app, key)
    stranger = {"Api-Key": KeyStore(redis_client).add("stranger", (PLAY_SCOPE,))[1]}
    for path, body in (("/seats/0/token", None), ("/seats/1/assign", {"kind": "human"})):
        refused = app.test_client().post(sitting.here + path, json=body, headers=stranger)
        assert refused.status_code == 401
        one, again = (
            app.test_client().post(sitting.here + path, json=body, headers={**key, "Idempotency-Key": "lost"})
            for _ in range(2)
        )
        assert (one.status_code, again.json) == (201, one.json), one.text
        bearer = {"Authorization": f"Bearer {one.json['token']}"}  # type: ignore[index]
        assert app.test_client().get(sitting.here, headers=bearer).status_code == 200
    assert [sitting.look(seat).status_code for seat in (0, 1)] == [401, 401]
