"""Answers that are lost on the way, to clients and to the service itself: whoever asks again is answered, once done."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

import pytest
import redis

from service.jobs import queues
from service.store import keys
from tests.faults.caller import Answer, Caller, Lost
from tests.faults.line import Line
from tests.faults.linearizability import Client, check
from tests.faults.storm import TABLES, Sitting, Tally
from tests.faults.town import Town

pytestmark = pytest.mark.thorough

PEOPLE = [{"kind": "human"}, {"kind": "human"}]


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    running = Town(tmp_path_factory.mktemp("town"), lossy=True)
    try:
        running.await_ready()
        yield running
    finally:
        running.stop()


@pytest.fixture
def town(standing: Town) -> Iterator[Town]:
    """Yield that town with an empty Redis; afterwards no answer of its Redis is lost any more."""
    with redis.Redis.from_url(standing.redis.url) as client:
        client.flushall()
    yield standing
    standing.line.loses = lambda _: False


@pytest.fixture
def street(town: Town) -> Iterator[Line]:
    line = Line(town.port)
    yield line
    line.close()


def lose_first(line: Line, method: bytes = b"POST") -> None:
    """Lose the answer to the next request of a kind, and to no other."""
    lost = line.lost
    line.loses = lambda request: line.lost == lost and request.startswith(method)


def again(caller: Caller, line: Line, path: str, body: Any, **headers: str) -> Answer:
    """Send a request whose answer is lost, and return the answer to its repetition."""
    lose_first(line)
    with pytest.raises(Lost):
        caller.ask("POST", path, body, **headers)
    return caller.insist("POST", path, body, **headers)


def test_a_client_whose_answers_are_lost_asks_again_and_everything_was_done_once(town: Town, street: Line) -> None:
    founder = Caller(street.port)
    made = again(founder, street, "/v1/sessions", {"game": "pebbles", "seats": PEOPLE}, Idempotency_Key=_uuid())
    assert (made.status, made.headers["idempotency-replayed"]) == (201, "true")
    path = made.body["links"]["session"]
    seats = [Caller(street.port, seat["token"]) for seat in made.body["seats"]]
    first = _shown(seats[0], path)["view"]
    sent: list[tuple[int, int]] = []
    while (shown := [_shown(seat, path) for seat in seats])[0]["status"] == "running":
        seat = next(seat for seat in (0, 1) if shown[seat]["legal_moves"]["count"])
        code = shown[seat]["legal_moves"]["moves"][0]["code"]
        headers = {"If-Match": f'"{shown[seat]["version"]}"', "Idempotency-Key": f"move-{len(sent)}"}
        answer = again(seats[seat], street, f"{path}/moves", {"move": {"code": code}}, **headers)
        assert (answer.status, answer.headers["idempotency-replayed"]) == (201, "true")
        assert answer.body["version"] == shown[seat]["version"] + 1
        sent.append((seat, code))
    street.loses = lambda _: False
    lines = seats[0].insist("GET", f"{path}/history").body["lines"]
    assert [(line["seat"], line["code"]) for line in lines if "code" in line] == sent
    clients = [Client(seat, caller.exchanges) for seat, caller in enumerate(seats)]
    assert check(town.lines(path), clients) > 2 * len(sent)
    search = {"game": "pebbles", "view": first, "budget": {"iterations": 10}}
    again(founder, street, "/v1/jobs/searches", search, Idempotency_Key=_uuid())
    with redis.Redis.from_url(town.redis.url) as client:
        assert sum(1 for _ in client.scan_iter(keys.session("*"), _type="HASH")) == 1
        assert sum(1 for _ in client.scan_iter(queues.record_key("*"), _type="HASH")) == 1
    for caller in (founder, *seats):
        caller.hang_up()


def test_where_redis_answers_in_vain_now_and_then_every_session_is_played_to_its_end(town: Town) -> None:
    choice, tally = Random("lost answers"), Tally()
    town.line.loses = lambda request: choice.random() < (0.06 if b"EVALSHA" in request else 0.004)
    with ThreadPoolExecutor(4) as pool:
        for sitting in pool.map(lambda table: _played(town, table), TABLES):
            sitting.count(tally)
    assert town.line.lost > 10
    assert tally.lost > 3


def _played(town: Town, table: dict[str, Any]) -> Sitting:
    sitting = Sitting(town, table, Random(str(table)))
    sitting.play()
    return sitting


def _shown(caller: Caller, path: str) -> dict[str, Any]:
    shown: dict[str, Any] = caller.insist("GET", f"{path}?expand=legal_moves").body
    return shown


def _uuid() -> str:
    return str(uuid.uuid4())
