"""Each exchange with Redis of an operation fails once: it is lost on the way there, or on the way back.

A retry of the same request with the same Idempotency-Key then gets its response, and everything was done once.
"""

import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import redis
from flask import Flask
from rq import Queue
from rq.serializers import JSONSerializer
from werkzeug.test import TestResponse

from service.jobs import queues
from service.store import keys, operations
from service.store.session_store import SessionStore
from service.store.sessions import LogEntry
from tests.faults.kit import Line, Mortal
from tests.service.kit import SESSIONS, Sitting, application, code_of, sit

PERSON, OPEN, BOT = {"kind": "human"}, {"kind": "open"}, {"kind": "bot", "bot": {"level": "random"}}
LIST = f"{SESSIONS}?open=true"
TAKES_MS = 40
MAX_EXCHANGES = 40
"""More exchanges than any operation has."""


Ask = Callable[[Sitting, dict[str, str]], TestResponse]


@dataclass(frozen=True)
class Operation:
    """An operation: its request, the count of its effects, a check of its response, and its preparation."""

    ask: Ask
    done: Callable[[redis.Redis, Sitting], int]
    holds: Callable[[Sitting, Any], bool]
    prepare: Callable[[Sitting], object] = lambda _sitting: None


def log(client: redis.Redis, sitting: Sitting) -> list[LogEntry]:
    return [line for _, line in SessionStore(client, 1).log_entries(sitting.made["id"])]


def count_in_log(client: redis.Redis, sitting: Sitting, kind: str) -> int:
    """Return the number of events of a kind in a session's log."""
    return sum(1 for line in log(client, sitting) for _, event in line.heard if f'"{kind}"'.encode() in bytes(event))


def count_others(client: redis.Redis, sitting: Sitting) -> int:
    others = [key for key in client.scan_iter(keys.session("?" * 32)) if sitting.made["id"].encode() not in key]
    assert all(client.exists(b"%s:log" % key) for key in others)
    return len(others)


def count_searches(client: redis.Redis, _sitting: Sitting) -> int:
    records = [key.decode() for key in client.scan_iter(queues.record_key("?" * 22))]
    tickets = Queue(queues.SEARCHES, connection=client, serializer=JSONSerializer).get_job_ids()
    assert len(set(tickets)) == len(tickets) <= len(records)
    return len(records)


def stored(client: redis.Redis) -> int:
    """Return the number of keys without indexes, which sessions enter and leave."""
    return sum(1 for key in client.scan_iter() if not key.endswith(b":listed"))


def listed(sitting: Sitting) -> Any:
    page: Any = sitting.app.test_client().get(LIST).json
    return page["sessions"]


def admits(sitting: Sitting, token: str) -> bool:
    bearer = {"Authorization": f"Bearer {token}"}
    return sitting.app.test_client().get(sitting.here, headers=bearer).status_code == 200


def create_session(sitting: Sitting, headers: dict[str, str]) -> TestResponse:
    body = {"game": "pebbles", "seats": [BOT, PERSON, OPEN], "spectators": "live"}
    return sitting.app.test_client().post(SESSIONS, json=body, headers=headers)


def create_batch(sitting: Sitting, headers: dict[str, str]) -> TestResponse:
    """Create three sessions at once, the last with a bot's decision."""
    body = {
        "sessions": [{"game": "pebbles", "seats": seats} for seats in ([PERSON] * 2, [PERSON, OPEN], [BOT, PERSON])]
    }
    return sitting.app.test_client().post(f"{SESSIONS}:batch", json=body, headers=headers)


def asking(path: str, body: Any = None, *, seat: int | None = 0, version: int = 0) -> Ask:
    """Return a request of a seat, or of somebody without one, at a version of its session."""

    def ask(sitting: Sitting, headers: dict[str, str]) -> TestResponse:
        sent = {} if body is None else {"json": body(sitting) if callable(body) else body}
        seen = {"If-Match": f'"{version}"'} if version else {}
        return sitting.call(seat, "POST", path, headers=headers | seen, **sent)

    return ask


claim = asking("/seats/1/claim", lambda sitting: {"code": sitting.made["seats"][1]["invite"]}, seat=None)
take = asking("/seats/1/claim", {}, seat=None)
move = asking("/moves", {"move": {"code": 1}}, version=1)
resign = asking("/resign", {"then": "forfeit"})
ask_for_undo = asking("/undo", version=2)
ask_for_pause = asking("/pause", {"duration_ms": 60_000})


def at(sitting: Sitting, body: dict[str, Any]) -> Sitting:
    return Sitting(sitting.app, sitting.made | {"links": body["links"]})


def search(sitting: Sitting, headers: dict[str, str]) -> TestResponse:
    body = {"game": "pebbles", "session": sitting.made["id"], "budget": {"iterations": 10}}
    bearer = {**headers, **sitting.token(0)}
    return sitting.app.test_client().post("/v1/jobs/searches", json=body, headers=bearer)


PAUSES = {"consent": True, "days_per_seat": 3}

OPERATIONS = {
    "founding a session": Operation(
        create_session,
        count_others,
        lambda sitting, body: (
            admits(Sitting(sitting.app, body), body["owner_token"])
            and admits(Sitting(sitting.app, body), body["seats"][1]["token"])
            and len(body["seats"][2]["invite"]) == 22
        ),
    ),
    "founding many sessions": Operation(
        create_batch,
        lambda client, sitting: {0: 0, 3: 1}[count_others(client, sitting)],  # never a part of them
        lambda sitting, body: all(
            admits(Sitting(sitting.app, made), seat["token"])
            for made in body["sessions"]
            for seat in made["seats"]
            if "token" in seat
        ),
    ),
    "making a branch": Operation(
        asking("/branches", {}),  # of a bot's decision
        count_others,
        lambda sitting, body: admits(Sitting(sitting.app, body["session"]), body["session"]["seats"][0]["token"]),
    ),
    "claiming a seat": Operation(
        claim,
        lambda client, sitting: count_in_log(client, sitting, "seat_claimed"),
        lambda sitting, body: admits(sitting, body["token"]),
    ),
    "taking a listed seat": Operation(
        take,
        lambda client, sitting: count_in_log(client, sitting, "seat_claimed"),
        lambda sitting, body: admits(sitting, body["token"]) and listed(sitting) == [],
    ),
    "a move": Operation(
        move,
        lambda client, sitting: sum(1 for line in log(client, sitting) if line.entry is not None),
        lambda _sitting, body: body["version"] == 2 and bool(body["events"]),
    ),
    "giving up": Operation(
        resign,
        lambda client, sitting: count_in_log(client, sitting, "seat_resigned"),
        lambda _sitting, body: body["status"] == "forfeited",
    ),
    "asking for an undo": Operation(
        ask_for_undo,
        lambda client, sitting: count_in_log(client, sitting, "undo_asked"),
        lambda _sitting, body: body["undo_request"] == {"seat": 0, "awaited": [1]},
        prepare=lambda sitting: move(sitting, {}),
    ),
    "an undo": Operation(
        asking("/undo/consent", seat=1, version=2),
        lambda client, sitting: count_in_log(client, sitting, "decision_undone"),
        lambda sitting, body: (body["version"], len(sitting.moves(0))) == (3, 3),
        prepare=lambda sitting: (move(sitting, {}), ask_for_undo(sitting, {})),
    ),
    "a pause": Operation(
        asking("/pause/consent", seat=1, version=2),
        lambda client, sitting: count_in_log(client, sitting, "pause_begun"),
        lambda _sitting, body: len(body["paused"]) == 1,
        prepare=lambda sitting: ask_for_pause(sitting, {}),
    ),
    "a vacation": Operation(
        asking("/vacation", {"days": 1}),
        lambda client, sitting: count_in_log(client, sitting, "vacation_begun"),
        lambda _sitting, body: body["pauses"]["days_left"] == [2, 3],
    ),
    "a rematch": Operation(
        asking("/rematch"),
        lambda client, sitting: {(0, 0): 0, (1, 0): 0, (1, 1): 1}[
            count_others(client, sitting), count_in_log(client, sitting, "rematch")
        ],
        lambda sitting, body: body["seat"] == 1 and admits(at(sitting, body), body["token"]),
        prepare=lambda sitting: resign(sitting, {}),
    ),
    "asking for a search": Operation(search, count_searches, lambda _sitting, body: len(body["id"]) == 22),
}


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operations, "TAKES_MS", TAKES_MS)


@pytest.fixture
def app(line: Line) -> Flask:
    return application(redis_url=line.url)


@pytest.mark.parametrize("way", ["drops", "loses"])
@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS.keys())
def test_each_operation_acts_once(operation: Operation, way: str, app: Flask, line: Line, mortal: Mortal) -> None:
    with redis.Redis.from_url(mortal.url) as client:
        for exchange in exchanges(line, way):
            client.flushdb()
            other = OPEN if operation.ask in {claim, take} else PERSON
            sitting = sit(app, PERSON, other, undo="consent", pauses=PAUSES, listed=operation.ask is take)
            operation.prepare(sitting)
            headers = {"Idempotency-Key": str(uuid.uuid4())}
            before, failures = stored(client), line.lost
            exchange()
            first = operation.ask(sitting, headers)
            setattr(line, way, lambda _request: False)
            if line.lost == failures:
                assert first.status_code in {200, 201, 202}
                assert stored(client) > before
                return
            assert first.status_code in {200, 201, 202} or code_of(first) == "store-away", first.text
            done = operation.done(client, sitting)
            again = insisted(lambda: operation.ask(sitting, headers))  # noqa: B023 -- called at once
            assert operation.done(client, sitting) == 1
            assert (again.headers.get("Idempotency-Replayed") == "true") == (done == 1)
            assert operation.holds(sitting, again.json)
            if first.status_code < 300:
                assert again.json == first.json
    raise AssertionError("an operation without an end")


def exchanges(line: Line, way: str) -> Iterator[Callable[[], None]]:
    """Yield functions that make the next request to Redis fail, then the second, and so on."""
    for number in range(MAX_EXCHANGES):
        left = [number]

        def wrong(_request: bytes, left: list[int] = left) -> bool:
            left[0] -= 1
            return left[0] == -1

        yield lambda wrong=wrong: setattr(line, way, wrong)  # type: ignore[misc]


def insisted(ask: Callable[[], TestResponse]) -> TestResponse:
    answer = ask()
    while answer.status_code == 409 and code_of(answer) == "operation-running":
        time.sleep(TAKES_MS / 1000)
        answer = ask()
    assert answer.status_code in {200, 201, 202}, answer.text
    return answer
