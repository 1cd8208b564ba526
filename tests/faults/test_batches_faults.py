"""A batch is there whole or not at all, and its sessions keep what was answered, however often Redis is killed."""

import threading
import time
import uuid
from collections import Counter
from typing import Any

import msgspec
import pytest
import redis
from flask import Flask

from service.store import keys, operations
from service.store.sessions import Seat
from tests.faults.kit import Mortal
from tests.faults.witness import WitnessedSitting
from tests.launch.kit import PATIENCE_SECONDS
from tests.service.kit import Sitting, application, bid

SIZE = 30
KILLS = 5


@pytest.fixture
def app(mortal: Mortal) -> Flask:
    return application(redis_url=mortal.url)


def batch(number: int) -> dict[str, Any]:
    seats = [{"kind": "human", "name": f"{number}"}, {"kind": "human"}]
    return {"sessions": [{"game": "pebbles", "spectators": "live", "seats": seats}] * SIZE}


def members(client: redis.Redis) -> Counter[str]:
    found = Counter[str]()
    for key in client.scan_iter(keys.session("?" * 32)):
        first, _ = msgspec.json.decode(client.hget(key, "seats") or b"", type=tuple[Seat, Seat])
        assert client.exists(key + b":log")
        found[first.name or ""] += 1
    return found


class Founder(threading.Thread):
    """Founds one batch after another, each until it is answered, and plays at a member of each."""

    def __init__(self, app: Flask) -> None:
        super().__init__(daemon=True)
        self.answered: dict[int, Any] = {}
        self.played: list[WitnessedSitting] = []
        self.over = threading.Event()
        self._app = app
        self.start()

    def run(self) -> None:
        client, number = self._app.test_client(), 0
        while not self.over.is_set():
            number += 1
            named = {"Idempotency-Key": str(uuid.UUID(int=number, version=4))}
            while number not in self.answered and not self.over.is_set():
                answer = client.post("/v1/sessions:batch", json=batch(number), headers=named)
                if answer.status_code == 201:
                    self.answered[number] = answer.json
                    again = client.post("/v1/sessions:batch", json=batch(number), headers=named)
                    assert again.status_code == 503 or again.data == answer.data, again.text
                    self.play(answer.json)
                else:
                    assert answer.status_code in {409, 503}, answer.text
                    time.sleep(0.02)

    def play(self, made: Any) -> None:
        """Look at one of the sessions of a batch, and make a move there; nobody cares whether that is answered."""
        self.played.append(sitting := WitnessedSitting(self._app, made["sessions"][len(self.answered) % SIZE]))
        sitting.glance()
        moved = sitting.move(0, bid(1), version=1, Idempotency_Key=str(uuid.uuid4()))
        assert moved.status_code in {201, 503}, moved.text
        sitting.glance()


def test_no_part_of_a_batch_is_ever_found(app: Flask, mortal: Mortal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operations, "TAKES_MS", 40)
    founder = Founder(app)
    for kill in range(1, KILLS + 1):
        answered, until = len(founder.answered), time.monotonic() + PATIENCE_SECONDS
        while len(founder.answered) == answered and founder.is_alive() and time.monotonic() < until:
            time.sleep(0.002 * kill)
        mortal.kill()
        mortal.restart()
    founder.over.set()
    founder.join(PATIENCE_SECONDS)
    with redis.Redis.from_url(mortal.url) as client:
        found = members(client)
    assert founder.answered.keys() <= {int(number) for number in found}
    assert set(found.values()) == {SIZE}
    assert len(founder.answered) >= KILLS
    for made in founder.answered.values():
        assert Sitting(app, made["sessions"][-1]).look(1).status_code == 200
    for sitting in founder.played:
        sitting.glance()
        assert sitting.check() > 0
