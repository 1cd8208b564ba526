"""A real worker delivers to a real server, also what the worker before it died over."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json

import pytest
from redis import Redis

from service.app import create_app
from service.auth.api_keys import KeyStore
from service.context import AppContext
from service.jobs import queues
from service.settings import Settings
from service.store.hooks import DELIVERED
from tests.service.webhooks.receiver import OK, receiver
from tests.workers.processes import horse_of, kill, until, worker

SETTINGS = {"SECRET_KEY": "of the tests", "WEBHOOKS_PRIVATE": "true", "LOG_LEVEL": "warning"}


@pytest.fixture
def house(redis_url: str) -> AppContext:
    """Return what an application with the workers' secret works with."""
    settings = Settings(redis_url=redis_url, secret_key=SETTINGS["SECRET_KEY"], webhooks_private=True)
    found: AppContext = create_app(settings).extensions["context"]
    return found


def test_a_job_that_ends_is_told_signed_and_a_worker_that_dies_over_it_is_followed_by_another(
    house: AppContext, redis_client: Redis, redis_url: str
) -> None:
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
