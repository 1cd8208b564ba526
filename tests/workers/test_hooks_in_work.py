"""Workers deliver to a real server, also what the worker before died over; no game holds them up."""

import base64
import hashlib
import hmac
import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from redis import Redis

from service.app import create_app
from service.auth.api_keys import KeyStore
from service.http.context import AppContext
from service.jobs import queues
from service.settings import Settings
from service.store.hooks import DELIVERED
from service.webhooks.messages import SEAT_ASKED_EVENT, SESSION_ENDED
from tests.faults.receiver import check_deliveries
from tests.service.kit import PEOPLE, SESSIONS, Sitting
from tests.service.webhooks.receiver import OK, receiver
from tests.workers import jobs
from tests.workers.bots import stranger
from tests.workers.processes import horse_of, kill, until, worker
from workers.webhooks.schedule import schedule_deliveries

SETTINGS = {"SECRET_KEY": "of the tests", "WEBHOOKS_PRIVATE": "true", "LOG_LEVEL": "warning"}


@pytest.fixture
def house(redis_url: str) -> AppContext:
    settings = Settings(redis_url=redis_url, secret_key=SETTINGS["SECRET_KEY"], webhooks_private=True)
    found: AppContext = create_app(settings).extensions["context"]
    return found


def test_an_ended_job_is_told_signed_despite_a_death(house: AppContext, redis_client: Redis, redis_url: str) -> None:
    key, text = KeyStore(redis_client).add("tests", ["webhooks"])
    client = create_app(house.settings).test_client()
    store = house.sessions.hooks
    with receiver() as server:
        server.answer, server.pause = [], 0
        answer = client.post("/v1/webhooks", json={"url": server.url}, headers={"Api-Key": text}).json
        assert answer is not None
        redis_client.hset(queues.record_key("job"), mapping={"owner": f"key-{key.id}", "state": "succeeded"})
        queues.close(redis_client, "job")
        server.answer, server.pause = [b"HTTP/1.1 204 ", OK], 8.0
        with worker(redis_url, queues.HOOKS, **SETTINGS) as process:
            until(lambda: server.heard)
            horse = horse_of(process)
            assert horse is not None
            kill(horse)
            kill(process.pid)
        server.answer, server.pause = [OK], 0
        for key_of_it in redis_client.keys("{w}:*:held"):
            redis_client.delete(key_of_it)  # it would have run out by itself
        store.hasten(answer["id"], house.sessions.now())
        with worker(redis_url, queues.HOOKS, **SETTINGS):
            until(lambda: store.log(answer["id"])[0].state == DELIVERED)
        assert len(server.heard) == 2
        assert server.headers(0)["webhook-id"] == server.headers(1)["webhook-id"]
        assert server.body(0) == server.body(1)
        told, body = server.headers(1), server.body(1)
    assert json.loads(body)["data"] == {"job": "job", "state": "succeeded", "url": "/v1/jobs/job"}
    signed = f"{told['webhook-id']}.{told['webhook-timestamp']}.".encode() + body
    secret = base64.b64decode(answer["secret"].removeprefix("whsec_"))
    expected = base64.b64encode(hmac.new(secret, signed, hashlib.sha256).digest()).decode()
    assert told["webhook-signature"] == f"v1,{expected}"


def more(heard: list[bytes]) -> Callable[[], bool]:
    before = len(heard)
    return lambda: len(heard) > before


@pytest.mark.thorough
def test_a_sessions_messages_come_in_order_and_once(house: AppContext, redis_client: Redis, redis_url: str) -> None:
    app, store = create_app(house.settings), house.sessions.hooks
    key = {"Api-Key": KeyStore(redis_client).add("tests", ["play", "webhooks"])[1]}
    moved = Counter[int]()
    with receiver() as server:
        asked = {"url": server.url, "events": [SEAT_ASKED_EVENT, SESSION_ENDED]}
        hook = app.test_client().post("/v1/webhooks", json=asked, headers=key).json["id"]  # type: ignore[index]
        wanted = {"game": "hoher-rat", "seats": [*PEOPLE], "seed": "noon"}
        sitting = Sitting(app, app.test_client().post(SESSIONS, json=wanted, headers=key).json or {})
        for pause in (0.5, 0.5, 0.0):
            server.pause = pause
            with worker(redis_url, queues.HOOKS, **SETTINGS) as process:
                arrives = more(server.heard)
                for _ in range(2):
                    seat = sitting.look(0).json["actors"][0]  # type: ignore[index]
                    assert sitting.move(seat, sitting.moves(seat)[0]["move"]).status_code == 201
                    moved[seat] += 1
                until(arrives)
                if pause:
                    for pid in filter(None, (horse_of(process), process.pid)):
                        kill(pid)
                else:
                    assert sitting.call("owner", "DELETE").status_code == 204
                    until(lambda: SESSION_ENDED in {message.event for message in store.log(hook)})
                    until(lambda: all(message.state == DELIVERED for message in store.log(hook)))
            for held in redis_client.keys("{w}:*:held"):
                redis_client.delete(held)  # it would have run out by itself
            store.hasten(hook, house.sessions.now())
        heard = [(server.headers(number), server.body(number)) for number in range(len(server.heard))]
    arrived = [(told["webhook-id"], body) for told, body in heard]
    check_deliveries([name for name, _ in arrived], arrived, store.log(hook), moved)


class BackEnd:
    """An owner's back end: it sends requests with a key, and has the workers of this process deliver due messages."""

    def __init__(self, house: AppContext, redis_client: Redis) -> None:
        self._house, self._redis = house, redis_client
        self._client = create_app(house.settings).test_client()
        self._key = {"Api-Key": KeyStore(redis_client).add("back end", ["jobs", "webhooks"])[1]}

    def ask(self, method: str, path: str, **body: Any) -> Any:
        return self._client.open(f"/v1/{path}", method=method, json=body or None, headers=self._key).json

    def deliver(self, hook: str) -> None:
        now = self._house.sessions.now()
        self._house.sessions.hooks.hasten(hook, now)
        schedule_deliveries(self._redis, self._house.sessions.hooks, now, self._house.settings.limits)
        jobs.work(self._redis, queues.HOOKS)


@pytest.fixture
def back_end(house: AppContext, redis_client: Redis, redis_url: str, monkeypatch: pytest.MonkeyPatch) -> BackEnd:
    """Return a founder's back end; the workers of this process have the service's settings."""
    for name, text in {**SETTINGS, "REDIS_URL": redis_url}.items():
        monkeypatch.setenv(name, text)
    return BackEnd(house, redis_client)


def test_an_address_that_answers_410_is_off_and_shown_so_until_a_ping_is_taken(
    back_end: BackEnd,
) -> None:
    with receiver() as server:
        hook = back_end.ask("POST", "webhooks", url=server.url)["id"]
        shown = [back_end.ask("GET", f"webhooks/{hook}")]
        for answer in (b"HTTP/1.1 410 Gone\r\n\r\n", b"HTTP/1.1 500 Oh\r\n\r\n", OK):
            server.answer = [answer]
            back_end.ask("POST", f"webhooks/{hook}/ping")
            back_end.deliver(hook)
            shown.append(back_end.ask("GET", f"webhooks/{hook}"))
    assert ["disabled_at" in each for each in shown] == [False, True, True, False]
    assert shown[1] == shown[2]
    assert shown[0]["created_at"] < shown[1]["disabled_at"]
    assert shown[0] == shown[3]
    assert back_end.ask("GET", "webhooks")["webhooks"] == [shown[3]]


def test_a_message_waits_for_no_game_against_a_bot_at_a_url(back_end: BackEnd, redis_client: Redis) -> None:
    with receiver() as server, stranger() as bot:
        seats = [{"bot": {"url": bot.url}}, {"bot": {"level": "random"}}]
        job = back_end.ask("POST", "jobs/simulations", game="gartenzwerge", seats=seats, games=2)["id"]
        hook = back_end.ask("POST", "webhooks", url=server.url)["id"]
        back_end.ask("POST", f"webhooks/{hook}/ping")
        back_end.deliver(hook)
        assert (len(server.heard), bot.heard) == (1, [])
        assert back_end.ask("GET", f"jobs/{job}")["state"] == "queued"
        jobs.work(redis_client, queues.REMOTE)
        assert back_end.ask("GET", f"jobs/{job}")["state"] == "succeeded"
