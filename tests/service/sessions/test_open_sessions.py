"""Listed sessions: anybody finds their open seats and takes one; nothing else is shown, and nothing stays."""

from typing import Any
from uuid import uuid4

import pytest
import redis
from flask import Flask

from service.http.context import AppContext
from service.sessions import mending
from service.sessions.reading import load
from service.settings import Limits
from service.store import keys
from service.store.owner_index import entry_of
from service.store.session_rows import listed_entry
from tests.service.kit import PEOPLE, SESSIONS, Sitting, application, code_of, sit
from workers.scheduler import Scheduler

PERSON, OPEN = PEOPLE[0], {"kind": "open"}
LIST = f"{SESSIONS}?open=true"
SECRETS = {"owner_token", "token", "invite", "fairness", "view", "headline", "picture_url", "stream_url"}


def listed(app: Flask, query: str = "") -> Any:
    answer = app.test_client().get(f"{LIST}{query}")
    assert answer.status_code == 200, answer.text
    return answer.json


def ids(app: Flask, query: str = "") -> list[str]:
    return [each["id"] for each in listed(app, query)["sessions"]]


def take(sitting: Sitting, seat: int, key: str | None = None, **body: Any) -> Any:
    headers = {} if key is None else {"Idempotency-Key": key}
    return sitting.call(None, "POST", f"/seats/{seat}/claim", json=body, headers=headers)


def context(app: Flask) -> AppContext:
    found: AppContext = app.extensions["context"]
    return found


@pytest.fixture
def waiting(app: Flask) -> Sitting:
    return sit(app, {**PERSON, "name": "Aine"}, OPEN, OPEN, listed=True, language="it")


@pytest.mark.parametrize("undo", ["off", "consent"])
def test_a_listed_session_shows_whether_moves_can_be_undone(app: Flask, undo: str) -> None:
    sit(app, PERSON, OPEN, listed=True, undo=undo)
    (found,) = listed(app)["sessions"]
    assert found.get("undo", "off") == undo
    assert ("undo" in found) == (undo != "off")


def test_a_stranger_finds_a_listed_session_and_takes_its_seats_until_it_is_full(app: Flask, waiting: Sitting) -> None:
    (found,) = listed(app)["sessions"]
    assert (found["form"], found["id"], found["game"]) == ("open", waiting.made["id"], "pebbles")
    assert (found["seats_free"], found["language"], found["practice"]) == (2, "it", True)
    kinds = [(seat["kind"], seat.get("name")) for seat in found["seats"]]
    assert kinds == [("human", "Aine"), ("open", None), ("open", None)]
    first = take(waiting, 1, name="Tom")
    assert first.status_code == 201
    assert admitted(waiting, first.json["token"])
    assert listed(app)["sessions"][0]["seats_free"] == 1
    assert code_of(take(waiting, 1)) == "seat-taken"
    assert code_of(take(waiting, 0)) == code_of(take(waiting, 5)) == "wrong-invite"
    code = waiting.made["seats"][2]["invite"]
    assert take(waiting, 2, code=code).json["status"] == "running"
    assert ids(app) == []
    assert code_of(take(waiting, 2)) == "seat-taken"


def admitted(sitting: Sitting, token: str) -> bool:
    headers = {"Authorization": f"Bearer {token}"}
    return sitting.app.test_client().get(f"{sitting.here}/standing-answers", headers=headers).status_code == 200


def test_the_list_holds_no_secret_and_no_time_finer_than_others_see(app: Flask, waiting: Sitting) -> None:
    page = app.test_client().get(f"{LIST}&limit=1")
    (found,) = page.json["sessions"]  # type: ignore[index]
    assert not SECRETS & {*found, *(name for seat in found["seats"] for name in seat)}
    made = waiting.made
    secrets = [made["owner_token"], *(seat.get("token") or seat["invite"] for seat in made["seats"])]
    assert not [each for each in secrets if each in page.text]
    assert int(page.json["next"].partition("after=")[2][:12], 16) % 100 == 0  # type: ignore[index]
    assert page.headers["Cache-Control"] == "no-store"


def test_a_session_that_is_not_listed_is_not_found_and_takes_nobody_without_a_code(app: Flask) -> None:
    sitting = sit(app, PERSON, OPEN)
    assert ids(app) == []
    answer = take(sitting, 1)
    assert (answer.status_code, answer.json["errors"][0]["pointer"]) == (422, "/code")


def test_aborted_expired_and_filled_sessions_leave_the_list(app: Flask, redis_client: redis.Redis) -> None:
    aborted, expired, filled, kept = (sit(app, PERSON, OPEN, listed=True, seed=f"{n}") for n in range(4))
    assert len(ids(app)) == 4
    assert aborted.call("owner", "DELETE").status_code == 204
    redis_client.delete(keys.session(expired.made["id"]), keys.log(expired.made["id"]))
    answer = filled.call("owner", "POST", "/seats/1/assign", json={"kind": "bot"})
    assert answer.status_code == 201
    assert ids(app) == [kept.made["id"]]
    assert len(list(redis_client.scan_iter("*:listed"))) == 1


def test_stale_entries_of_no_session_leave_the_list(app: Flask, waiting: Sitting, redis_client: redis.Redis) -> None:
    name = waiting.made["id"]
    redis_client.zadd(keys.listed_with(name), {entry_of(1, name): 0})
    assert ids(app) == [name]
    assert redis_client.zcard(keys.listed_with(name)) == 1


def test_a_seat_that_is_opened_again_is_counted_again(app: Flask, waiting: Sitting) -> None:
    assert take(waiting, 1).status_code == 201
    assert waiting.call("owner", "POST", "/seats/1/assign", json=OPEN).status_code == 201
    assert listed(app)["sessions"][0]["seats_free"] == 2
    assert take(waiting, 1).status_code == 201


def test_the_sweep_takes_out_what_has_expired_and_leaves_the_rest(app: Flask, redis_client: redis.Redis) -> None:
    sittings = [sit(app, PERSON, OPEN, listed=True, seed=f"{number}") for number in range(12)]
    for gone in sittings[::2]:
        redis_client.delete(keys.session(gone.made["id"]))
    Scheduler(redis_client, context(app).sessions, Limits()).tick()
    left = {entry[12:] for key in keys.listed() for entry in redis_client.zrange(key, 0, -1)}
    assert left == {sitting.made["id"].encode() for sitting in sittings[1::2]}


def test_mending_a_session_puts_it_on_the_list_again(app: Flask, waiting: Sitting, redis_client: redis.Redis) -> None:
    services, name = context(app).sessions, waiting.made["id"]
    redis_client.delete(keys.listed_with(name))
    mending.repair(services, name)
    assert ids(app) == [name]
    waiting.call("owner", "DELETE")
    redis_client.zadd(keys.listed_with(name), {listed_entry(load(services, name)): 0})
    mending.repair(services, name)
    assert redis_client.exists(keys.listed_with(name)) == 0


def test_filters_and_pages_leave_the_list_whole(app: Flask) -> None:
    made = [
        sit(app, PERSON, OPEN, listed=True, seed=f"{number}", **({"language": "de"} if number % 2 else {})).made["id"]
        for number in range(5)
    ]
    every = ids(app, "&limit=100")
    assert sorted(every) == sorted(made)
    for limit in (1, 2, 5):
        found, path = list[str](), f"{LIST}&limit={limit}&game=pebbles"
        while path:
            page: Any = app.test_client().get(path).json
            found += [each["id"] for each in page["sessions"]]
            path = page.get("next", "")
        assert found == every
    assert sorted(ids(app, "&language=de")) == sorted(made[1::2])
    assert sorted(ids(app, "&status=waiting")) == sorted(made)
    assert ids(app, "&status=running") == ids(app, "&language=en") == ids(app, "&since=2100-01-01T00:00:00Z") == []


@pytest.mark.parametrize("query", ["&status=open", "&game=chess", "&language=fr", "&limit=0", "&after=x"])
def test_invalid_requests_for_the_list_are_refused(app: Flask, query: str) -> None:
    answer = app.test_client().get(f"{LIST}{query}")
    assert (answer.status_code, code_of(answer)) == (422, "invalid-query")


@pytest.mark.parametrize("query", ["", "?open=false", "?open=1"])
def test_without_a_key_there_is_nothing_but_the_list(app: Flask, query: str) -> None:
    assert app.test_client().get(f"{SESSIONS}{query}").status_code == 401


def test_frequent_requests_for_the_list_wait(redis_server: str, redis_client: redis.Redis) -> None:
    assert redis_client.dbsize() == 0
    limited = application(redis_url=redis_server, open_requests_per_minute=2)
    answers = [limited.test_client().get(LIST) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]


def test_no_token_is_in_the_store(waiting: Sitting, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    labels = list[tuple[str, str]]()

    def note(_key: str, _seat: int, operation: str, secret: str) -> str:
        labels.append((operation, secret))
        return "token"

    monkeypatch.setattr("service.sessions.seating.claim_token", note)
    key = str(uuid4())
    assert take(waiting, 1, key).status_code == 201
    assert take(waiting, 2).status_code == 201
    hashes: list[Any] = [redis_client.hgetall(name) for name in redis_client.scan_iter("*", _type="hash")]
    kept = " ".join(value.decode(errors="replace") for each in hashes for value in each.values())
    assert len(labels) == 2
    for operation, secret in labels:
        assert operation in kept
        assert len(secret) == 64
        assert secret not in kept
