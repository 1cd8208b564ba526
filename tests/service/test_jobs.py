"""Jobs over HTTP, with nobody in work: asking, looking, calling off, and everything that can be wrong."""

import json
import re
import time
import uuid
from typing import Any

import msgspec
import pytest
from flask.testing import FlaskClient
from redis import Redis
from rq import Queue
from rq.serializers import JSONSerializer
from werkzeug.test import TestResponse

from games.core.dice import FastDice
from games.core.registry import registered
from service.jobs import queues
from service.jobs.leases import Lease
from service.jobs.store import JobStore
from tests.service.kit import NOWHERE, application
from tests.toy import GAME as PEBBLES

GAMES = {**registered(), PEBBLES.slug: PEBBLES}
SEARCHES, SIMULATIONS = "/v1/jobs/searches", "/v1/jobs/simulations"
BUDGET = {"iterations": 50}


def pebbles(client: FlaskClient, **body: Any) -> dict[str, Any]:
    made: Any = client.post("/v1/games/pebbles/snapshots", json={"seat_count": 2, "seed": "s"}).json
    return {"game": "pebbles", "snapshot": made["snapshot"], "seat": 1, "budget": BUDGET, **body}


def payload(redis_client: Redis, answer: TestResponse) -> Any:
    assert answer.status_code == 202, answer.text
    return json.loads(redis_client.hget(queues.record_key(read_body(answer)["id"]), "payload") or b"")


def read_body(answer: TestResponse) -> Any:
    return answer.json


def tickets(redis_client: Redis, queue: str) -> list[str]:
    return Queue(queue, connection=redis_client, serializer=JSONSerializer).get_job_ids()


def test_a_search_is_queued_and_can_be_looked_at(client: FlaskClient, redis_client: Redis) -> None:
    answer = client.post(SEARCHES, json=pebbles(client))
    job = read_body(answer)
    assert answer.status_code == 202
    assert answer.headers["Location"] == f"/v1/jobs/{job['id']}"
    assert (job["kind"], job["game"], job["state"]) == ("search", "pebbles", "queued")
    assert job["progress"] == {"done": 0, "total": 50}
    assert read_body(client.get(answer.headers["Location"])) == job
    assert job["created_at"] < job["expires_at"]
    assert tickets(redis_client, queues.SEARCHES) == [f"{job['id']}-0"]
    assert 0 < redis_client.ttl(queues.record_key(job["id"])) <= 24 * 3600


def test_the_workers_get_the_view_of_the_seat_and_no_snapshot(client: FlaskClient, redis_client: Redis) -> None:
    body = pebbles(client, seed="x")
    told = payload(redis_client, client.post(SEARCHES, json=body))
    table = PEBBLES.new(2, PEBBLES.options_type(), FastDice(1))
    assert set(told) == {"game", "view", "iterations", "milliseconds", "level", "seed", "top", "seconds"}
    assert set(told["view"]) == {"game", *PEBBLES.view(table, 1).__struct_encode_fields__}
    others = [card for card in range(1, 7) if card not in body["snapshot"]["table"]["hands"]]
    body["snapshot"]["table"]["hands"][0] = others[0]
    assert payload(redis_client, client.post(SEARCHES, json=body)) == told


def test_a_view_of_a_session_comes_from_the_seat_whose_token_is_sent(client: FlaskClient, redis_client: Redis) -> None:
    new = {"game": "pebbles", "seats": [{"kind": "human"}] * 2}
    made: Any = client.post("/v1/sessions", json=new).json
    body = {"game": "pebbles", "session": made["id"], "budget": BUDGET}
    tokens = [{"Authorization": f"Bearer {seat['token']}"} for seat in made["seats"]]
    for seat in (0, 1):
        assert payload(redis_client, client.post(SEARCHES, json=body, headers=tokens[seat]))["view"]["seat"] == seat
    assert client.post(SEARCHES, json=body).status_code == 401
    assert client.post(SEARCHES, json=body, headers={"Authorization": "Bearer nobody"}).status_code == 401
    owner = {"Authorization": f"Bearer {made['owner_token']}"}
    assert client.post(SEARCHES, json=body, headers=owner).status_code == 403
    assert client.post(SEARCHES, json={**body, "session": "0" * 32}).status_code == 404
    other = client.post(SEARCHES, json={**body, "game": "hoher-rat"}, headers=tokens[0])
    assert (other.status_code, read_body(other)["errors"][0]["pointer"]) == (422, "/game")


def test_a_job_without_a_credential_has_an_id_of_128_bits_that_is_enough(client: FlaskClient) -> None:
    here = [client.post(SEARCHES, json=pebbles(client)).headers["Location"] for _ in range(2)]
    assert here[0] != here[1]
    assert all(len(path.rpartition("/")[2]) == 22 for path in here)
    assert client.get(here[0], headers={"Authorization": "Bearer anybody"}).status_code == 200


@pytest.mark.parametrize("name", ["A" * 22, "...", "a-b", "%00", "A" * 300])
def test_a_job_that_is_not_there_is_unknown(client: FlaskClient, name: str) -> None:
    assert client.get(f"/v1/jobs/{name}").status_code == 404
    assert client.delete(f"/v1/jobs/{name}").status_code == 404


def test_canceling_a_queued_job_dequeues_it_and_repeats_alike(client: FlaskClient, redis_client: Redis) -> None:
    here = client.post(SEARCHES, json=pebbles(client)).headers["Location"]
    first, again = client.delete(here), client.delete(here)
    assert read_body(first)["state"] == "canceled"
    assert read_body(first) == read_body(again) == read_body(client.get(here))
    assert tickets(redis_client, queues.SEARCHES) == []
    assert redis_client.zcard(queues.OPEN_JOBS) == 0
    assert not redis_client.keys("rq:job:*")
    assert Lease.take(redis_client, read_body(first)["id"]) is None


def test_a_job_that_has_ended_stays_as_it_is_when_called_off(client: FlaskClient, redis_client: Redis) -> None:
    job = read_body(
        client.post(SIMULATIONS, json={"game": "pebbles", "seats": [{"bot": {"level": "random"}}] * 2, "games": 1})
    )
    claim = Lease.take(redis_client, job["id"])
    assert claim is not None
    claim.fail("worker-lost", attempts=3)
    ended = read_body(client.delete(f"/v1/jobs/{job['id']}", headers={"Accept-Language": "de"}))
    assert ended["state"] == "failed"
    assert ended["problem"]["code"] == "worker-lost"
    assert ended["problem"]["status"] == 503
    assert "3-mal" in ended["problem"]["detail"]


@pytest.mark.parametrize(
    ("change", "status", "code", "pointer"),
    [
        ({"budget": {}}, 422, "invalid-body", "/budget/iterations"),
        ({"budget": {"iterations": 5, "milliseconds": 5}}, 422, "invalid-body", "/budget/iterations"),
        ({"budget": {"iterations": 0}}, 422, "invalid-body", "/budget/iterations"),
        ({"budget": {"iterations": 10**9}}, 422, "invalid-body", "/budget/iterations"),
        ({"budget": {"milliseconds": 10**9}}, 422, "invalid-body", "/budget/milliseconds"),
        ({"budget": {"milliseconds": "5"}}, 422, "invalid-body", "/budget/milliseconds"),
        ({"budget": None}, 422, "invalid-body", "/budget"),
        ({"level": "godlike"}, 422, "invalid-body", "/level"),
        ({"top": 0}, 422, "invalid-body", "/top"),
        ({"seed": ""}, 422, "invalid-body", "/seed"),
        ({"seed": 5}, 422, "invalid-body", "/seed"),
        ({"game": "chess"}, 422, "invalid-body", "/game"),
        ({"game": "hoher-rat"}, 422, "invalid-body", "/snapshot/game"),
        ({"seat": 5}, 422, "invalid-body", "/seat"),
        ({"seat": None}, 422, "invalid-body", "/seat"),
        ({"speed": "high"}, 422, "invalid-body", "/speed"),
    ],
)
def test_an_impossible_search_is_refused_with_its_place(
    client: FlaskClient, redis_client: Redis, change: dict[str, Any], status: int, code: str, pointer: str
) -> None:
    answer = client.post(SEARCHES, json=pebbles(client, **change))
    assert (answer.status_code, read_body(answer)["code"]) == (status, code)
    assert pointer in [error["pointer"] for error in read_body(answer)["errors"]]
    assert redis_client.dbsize() == 0


def test_a_view_that_no_table_has_is_refused_with_the_rule_it_breaks(client: FlaskClient) -> None:
    made: Any = client.post("/v1/games/hoher-rat/snapshots", json={"seat_count": 2, "seed": "s"}).json
    seat = made["actors"][0]
    view: Any = client.post("/v1/games/hoher-rat/views", json={"snapshot": made["snapshot"], "seat": seat}).json
    body = {"game": "hoher-rat", "view": view, "budget": BUDGET}
    assert client.post(SEARCHES, json=body).status_code == 202
    hand = view["councillors"][seat]["known"]
    hand[0] = hand[1]
    broken = client.post(SEARCHES, json=body)
    assert (broken.status_code, read_body(broken)["code"]) == (422, "broken-view")
    assert read_body(broken)["errors"][0]["rule"].startswith("HR-")
    assert read_body(broken)["errors"][0]["pointer"].startswith("/view/")


def test_a_seat_with_nothing_to_decide_gets_no_search(client: FlaskClient) -> None:
    made: Any = client.post("/v1/games/hoher-rat/snapshots", json={"seat_count": 2, "seed": "s"}).json
    idle = 1 - made["actors"][0]
    body = {"game": "hoher-rat", "snapshot": made["snapshot"], "seat": idle, "budget": BUDGET}
    answer = client.post(SEARCHES, json=body)
    assert (answer.status_code, read_body(answer)["code"]) == (409, "not-your-turn")
    seen = client.post("/v1/games/hoher-rat/views", json={"snapshot": made["snapshot"], "seat": None}).json
    spectator = client.post(SEARCHES, json={"game": "hoher-rat", "view": seen, "budget": BUDGET})
    assert (spectator.status_code, read_body(spectator)["errors"][0]["pointer"]) == (422, "/view/seat")


def test_a_game_that_is_over_gets_no_search(client: FlaskClient) -> None:
    body = pebbles(client)
    body["snapshot"]["table"] |= {"heap": 0, "turn": 0, "winner": 1, "bids": [0, 0]}
    answer = client.post(SEARCHES, json=body)
    assert (answer.status_code, read_body(answer)["code"]) == (409, "game-over")


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"games": 0}, "/games"),
        ({"games": 10**8}, "/games"),
        ({"seats": [{"bot": {"level": "random"}}]}, "/seats"),
        ({"seats": [{"bot": {"level": "random"}}, {"bot": {"level": "me"}}]}, "/seats/1/bot/level"),
        ({"seats": []}, "/seats"),
        ({"options": {"heap": 2}}, "/options/heap"),
        ({"options": {"speed": 2}}, "/options/speed"),
        ({"rotate_seats": "yes"}, "/rotate_seats"),
        ({"until": {"half_width": 0.1, "max_games": 10}}, "/until"),
        ({"game": "chess"}, "/game"),
    ],
)
def test_impossible_simulations_are_refused(client: FlaskClient, change: dict[str, Any], pointer: str) -> None:
    body = {"game": "pebbles", "seats": [{"bot": {"level": "random"}}] * 2, "games": 5, **change}
    answer = client.post(SIMULATIONS, json=body)
    assert (answer.status_code, read_body(answer)["code"]) == (422, "invalid-body")
    assert pointer in [error["pointer"] for error in read_body(answer)["errors"]]


def test_a_simulation_may_run_until_it_knows_enough(client: FlaskClient, redis_client: Redis) -> None:
    body = {
        "game": "pebbles",
        "seats": [{"bot": {"level": "random"}}] * 3,
        "until": {"half_width": 0.05, "max_games": 900},
    }
    answer = client.post(SIMULATIONS, json=body)
    told = payload(redis_client, answer)
    assert (told["games"], told["half_width"], told["rotate_seats"]) == (900, 0.05, True)
    assert read_body(answer)["progress"] == {"done": 0, "total": 900}
    assert tickets(redis_client, queues.BULK) == [f"{read_body(answer)['id']}-0"]
    assert told["seed"] != payload(redis_client, client.post(SIMULATIONS, json=body))["seed"]
    assert re.fullmatch("[0-9a-f]{32}", told["seed"]), "of 128 bits, which nobody can guess"
    unsaid = client.post(SIMULATIONS, json={**body, "rotate_seats": None})
    assert payload(redis_client, unsaid)["rotate_seats"] is True, "null is as good as nothing"


def test_a_bot_is_named_by_its_level_as_in_a_session(client: FlaskClient, redis_client: Redis) -> None:
    seats = [{"bot": {"level": "greedy"}}, {"bot": {"level": "random"}}]
    answer = client.post(SIMULATIONS, json={"game": "pebbles", "seats": seats, "games": 2})
    assert payload(redis_client, answer)["bots"] == ["greedy", "random"]


@pytest.mark.parametrize(("bot", "pointer"), [("clever", "/seats/0/bot"), ({"level": "clever"}, "/seats/0/bot/level")])
def test_a_bot_of_no_level_is_refused_with_its_place(client: FlaskClient, bot: object, pointer: str) -> None:
    seats = [{"bot": bot}, {"bot": {"level": "random"}}]
    answer = client.post(SIMULATIONS, json={"game": "pebbles", "seats": seats, "games": 2})
    assert (answer.status_code, read_body(answer)["errors"][0]["pointer"]) == (422, pointer)


def test_a_repetition_gets_its_job_whatever_happened_since_then(client: FlaskClient, redis_client: Redis) -> None:
    made: Any = client.post("/v1/sessions", json={"game": "pebbles", "seats": [{"kind": "human"}] * 2}).json
    bearer = {"Authorization": f"Bearer {made['seats'][0]['token']}"}
    headers = {**bearer, "Idempotency-Key": "hint"}
    body = {"game": "pebbles", "session": made["id"], "budget": BUDGET}
    first = client.post(SEARCHES, json=body, headers=headers)
    move = client.post(
        f"/v1/sessions/{made['id']}/moves", json={"move": {"code": 1}}, headers={**bearer, "If-Match": '"1"'}
    )
    assert move.status_code == 201
    assert client.post(SEARCHES, json=body, headers=bearer).status_code == 409
    for _ in range(2):
        again = client.post(SEARCHES, json=body, headers=headers)
        assert (again.status_code, read_body(again)) == (202, read_body(first))
        assert again.headers["Idempotency-Replayed"] == "true"
        redis_client.delete(*redis_client.keys("o:*"))  # the service was killed before it kept its answer


def test_a_job_of_a_dead_caller_is_queued_by_a_repetition(client: FlaskClient, redis_client: Redis) -> None:
    key = {"Idempotency-Key": str(uuid.uuid4())}
    job = read_body(client.post(SEARCHES, json=pebbles(client), headers=key))["id"]
    redis_client.delete(queues.OPEN_JOBS, *redis_client.keys("o:*"), *redis_client.keys("rq:*"))
    assert read_body(client.post(SEARCHES, json=pebbles(client), headers=key))["id"] == job
    assert tickets(redis_client, queues.SEARCHES) == [f"{job}-0"]
    assert redis_client.zcard(queues.OPEN_JOBS) == 1


def test_nobody_waits_at_a_server_that_is_to_stop(redis_url: str) -> None:
    app = application(GAMES, redis_url)
    app.extensions["context"].health.ending = lambda: True
    began = time.monotonic()
    assert (
        app.test_client().post(SEARCHES, json=pebbles(app.test_client()), headers={"Prefer": "wait=20"}).status_code
        == 202
    )
    assert time.monotonic() - began < 15


def test_a_preference_to_wait_is_granted_as_far_as_allowed(redis_url: str) -> None:
    client = application(GAMES, redis_url, wait_seconds=1).test_client()
    began = time.monotonic()
    answer = client.post(SEARCHES, json=pebbles(client), headers={"Prefer": "respond-async, wait=600"})
    assert 1 <= time.monotonic() - began < 60
    assert (answer.status_code, answer.headers["Preference-Applied"]) == (202, "wait=1")
    for other in ("wait", "wait=soon", "wait=-1", ""):
        assert (
            "Preference-Applied" not in client.post(SEARCHES, json=pebbles(client), headers={"Prefer": other}).headers
        )


def test_nobody_waits_where_too_many_do(redis_url: str) -> None:
    client = application(GAMES, redis_url, streams=0).test_client()
    answer = client.post(SEARCHES, json=pebbles(client), headers={"Prefer": "wait=20"})
    assert (answer.status_code, answer.headers["Preference-Applied"]) == (202, "wait=0")


@pytest.mark.parametrize(
    ("kept", "label"),
    [
        (
            {"view": msgspec.to_builtins(PEBBLES.view(PEBBLES.new(2, PEBBLES.options_type(), FastDice(1)), 1))},
            "1 bieten",
        ),
        ({}, '{"kind":"bid_pebbles","amount":1}'),
    ],
    ids=["as workers find it", "as workers of an earlier version found it"],
)
def test_a_quick_job_is_answered(client: FlaskClient, redis_client: Redis, kept: dict[str, Any], label: str) -> None:
    key = {"Idempotency-Key": str(uuid.uuid4())}
    job = read_body(client.post(SEARCHES, json=pebbles(client, seed="x"), headers=key))
    claim = Lease.take(redis_client, job["id"])
    assert claim is not None
    move = {"code": 1, "move": {"kind": "bid_pebbles", "amount": 1}, "visits": 50, "value": 0.5}
    row = {**move, "interval": [0.4, 0.6], "share": 1.0}
    head = {"kind": "search", "seat": 1, "seed": "x", "iterations": 50, "worlds": 50, "legal_moves": 3}
    claim.succeed({**head, **kept, "moves": [row]}, 50)
    headers = {**key, "Prefer": "wait=5", "Accept-Language": "de"}
    answer = client.post(SEARCHES, json=pebbles(client, seed="x"), headers=headers)
    assert answer.status_code == 200
    assert answer.headers["Preference-Applied"] == "wait=5"
    result = read_body(answer)["result"]
    assert result["moves"][0].pop("label") == label
    assert result == {**head, "moves": [row], "hunches": []}


def test_a_full_queue_takes_no_more(redis_url: str, redis_client: Redis) -> None:
    client = application(GAMES, redis_url, open_jobs=2).test_client()
    answers = [client.post(SEARCHES, json=pebbles(client)) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [202, 202, 503]
    assert read_body(answers[2])["code"] == "queue-full"
    assert int(answers[2].headers["Retry-After"]) > 0
    assert len(tickets(redis_client, queues.SEARCHES)) == 2


def test_a_record_has_a_hash_of_the_credential_and_no_secret(client: FlaskClient, redis_client: Redis) -> None:
    answer = client.post(SEARCHES, json=pebbles(client), headers={"Authorization": "Bearer secret-of-mine"})
    found = JobStore(redis_client).load(read_body(answer)["id"])
    assert found is not None
    assert len(found.owner) == 64
    for key in redis_client.keys("*"):
        assert b"secret-of-mine" not in (redis_client.dump(key) or b"")


def test_without_a_store_every_operation_on_jobs_says_503() -> None:
    client = application(GAMES, NOWHERE).test_client()
    simulation = {"game": "pebbles", "seats": [{"bot": {"level": "random"}}] * 2, "games": 1}
    answers = [
        client.post(SEARCHES, json=pebbles(client)),
        client.post(f"{SEARCHES}:batch", json={"game": "pebbles", "budget": BUDGET, "positions": [{"view": {}}]}),
        client.post(SIMULATIONS, json=simulation),
        client.delete(f"/v1/jobs/{'A' * 22}"),
        *(client.get(f"/v1/jobs/{'A' * 22}{part}") for part in ("", "/events", "/games", "/results", "/chart")),
    ]
    assert [answer.status_code for answer in answers] == [503] * 9
    assert all("Retry-After" in answer.headers for answer in answers)
