"""Sessions while Redis dies, sleeps and loses answers, and while workers die: each move that was told is there once."""

from __future__ import annotations

import multiprocessing
import signal
import time
from functools import partial
from typing import Any

import pytest
import redis

from games.core.game import Game, View
from service.sessions.reading import load
from service.store import keys
from service.store.clients import PATIENCE
from service.store.sessions import Seat
from tests.faults.line import Line, Mortal
from tests.faults.witness import WitnessedSitting
from tests.launch.processes import PATIENCE_SECONDS
from tests.service.sessions.room import open_room
from tests.service.sessions.talk import PEOPLE, SESSIONS, Sitting, bid, code_of, sit
from tests.service.table_talk import application
from workers.sessions import bot_turns

pytestmark = pytest.mark.thorough

NEW = {"game": "pebbles", "seats": [*PEOPLE], "seed": "noon"}


def every_call(sitting: Sitting) -> list[tuple[int, str, str]]:
    answers = [
        sitting.app.test_client().post(SESSIONS, json=NEW),
        sitting.look(0),
        sitting.look(0, "/legal-moves"),
        sitting.look(0, "/history"),
        sitting.move(0, bid(1), 1),
        sitting.move(0, bid(1), 1, Idempotency_Key="bid"),
        sitting.call("owner", "DELETE"),
    ]
    return [(answer.status_code, code_of(answer), answer.headers.get("Retry-After", "")) for answer in answers]


def test_while_redis_is_dead_every_call_is_503_and_afterwards_the_session_goes_on(mortal: Mortal) -> None:
    app = application(redis_url=mortal.url)
    sitting = WitnessedSitting(app, sit(app).made)
    assert sitting.move(0, bid(2), 1).status_code == 201
    before = sitting.standing(0)
    mortal.kill()
    began = time.monotonic()
    assert every_call(sitting) == [(503, "store-away", "2")] * 7
    assert time.monotonic() - began < 5 * PATIENCE
    assert app.test_client().get("/healthz").status_code == 200
    mortal.restart()
    assert sitting.standing(0) == before
    assert sitting.move(1, bid(1), 1).status_code == 201
    sitting.play_out()
    assert sitting.check() > 10


def test_while_redis_sleeps_a_call_fails_after_a_while_and_the_move_it_may_have_made_is_made_once(
    mortal: Mortal,
) -> None:
    app = application(redis_url=mortal.url)
    sitting = WitnessedSitting(app, sit(app).made)
    mortal.process.send_signal(signal.SIGSTOP)
    try:
        began = time.monotonic()
        answer = sitting.move(0, bid(2), 1, Idempotency_Key="bid")
        assert (answer.status_code, code_of(answer)) == (503, "store-away")
        assert time.monotonic() - began < 6 * PATIENCE
    finally:
        mortal.process.send_signal(signal.SIGCONT)
    assert sitting.move(0, bid(2), 1, Idempotency_Key="bid").status_code == 201
    assert sitting.version(0) == 2
    assert sitting.check() == 2


@pytest.mark.parametrize("named", [True, False], ids=["with an Idempotency-Key", "without one"])
def test_a_move_whose_acknowledgement_redis_sent_in_vain_is_made_once(line: Line, *, named: bool) -> None:
    app = application(redis_url=line.url)
    sitting = WitnessedSitting(app, sit(app).made)
    sitting.move(1, bid(1), 1)  # Redis knows the script from now on
    line.loses = lambda request: b"EVALSHA" in request and b'"heap"' in request
    key = {"Idempotency_Key": "bid"} if named else {}
    answer = sitting.move(0, bid(2), 1, **key)
    assert (answer.status_code, code_of(answer)) == (503, "store-away")
    assert line.lost == 1
    line.loses = lambda _request: False
    again = sitting.move(0, bid(2), 1, **key)
    if named:
        assert (again.status_code, again.headers["Idempotency-Replayed"]) == (201, "true")
        assert again.json["events"][0]["event"] == {"kind": "pebble_bid_given", "seat": 0, "amount": 2}  # type: ignore[index]
    else:
        assert (again.status_code, again.json["version"]) == (412, 2)  # type: ignore[index]
    assert sitting.version(0) == 2
    assert sitting.check() == 3


def test_a_session_whose_acknowledgement_redis_sent_in_vain_is_founded_once(line: Line, mortal: Mortal) -> None:
    app = application(redis_url=line.url)
    sit(app)  # Redis knows the scripts from now on
    line.loses = lambda request: b"EVALSHA" in request and b"charter" in request
    headers = {"Idempotency-Key": "6f1c2f0e-9a0b-4c55-8a53-0a7c1de5a4d1"}
    seats = [{"kind": "human"}, {"kind": "open"}]
    ask = partial(app.test_client().post, SESSIONS, json={**NEW, "seats": seats}, headers=headers)
    assert code_of(ask()) == "store-away"
    line.loses = lambda _request: False
    with redis.Redis.from_url(mortal.url) as client:
        assert sum(1 for _ in client.scan_iter(keys.session("*"), _type="HASH")) == 2
        made = ask()
        assert made.status_code == 201
        assert sum(1 for _ in client.scan_iter(keys.session("*"), _type="HASH")) == 2
        client.delete(*client.scan_iter("o:*"))  # the service was killed before it kept its answer
        assert ask().json == made.json
        seated = Sitting(app, made.json)  # type: ignore[arg-type]
        claim = {"code": made.json["seats"][1]["invite"]}  # type: ignore[index]
        assert app.test_client().post(f"{seated.here}/seats/1/claim", json=claim).status_code == 201
        assert seated.move(0, bid(1), 2).status_code == 201
        assert ask().json["id"] == made.json["id"]  # type: ignore[index]
        client.delete(*client.scan_iter("o:*"))
        other = app.test_client().post(SESSIONS, json={**NEW, "seats": seats, "seed": "dawn"}, headers=headers)
        assert (other.status_code, code_of(other)) == (422, "idempotency-key-reused")


def test_a_key_whose_first_request_failed_before_it_did_anything_is_free_again_in_time(
    line: Line, mortal: Mortal
) -> None:
    sitting = sit(application(redis_url=line.url))
    sitting.move(1, bid(1), 1, Idempotency_Key="other")
    line.loses = lambda request: b"EVALSHA" in request
    assert sitting.move(0, bid(2), 1, Idempotency_Key="bid").status_code == 503
    line.loses = lambda _request: False
    assert code_of(sitting.move(0, bid(2), 1, Idempotency_Key="bid")) == "operation-running"
    with redis.Redis.from_url(mortal.url) as client:
        for key in client.scan_iter("o:*"):
            client.hset(key, "deadline", 0)
    assert sitting.move(0, bid(2), 1, Idempotency_Key="bid").status_code == 201


def _think_for_ever(url: str, name: str, thinking: Any) -> None:
    """Play a bot whose adviser never ends; runs in a process of its own, to be killed."""

    def choose(_game: Game, _view: View, _level: str, _seed: str, _tick: bot_turns.Tick) -> int:
        thinking.set()
        time.sleep(600)
        return 0

    bot_turns.play(open_room(url).services, name, choose)


def test_a_worker_that_is_killed_in_thought_leaves_its_turn_to_the_next(
    redis_url: str, redis_client: redis.Redis
) -> None:
    room = open_room(redis_url)
    name = room.begin(Seat(kind="human"), Seat(kind="bot", level="random")).session.id
    context = multiprocessing.get_context("spawn")
    thinking = context.Event()
    worker = context.Process(target=_think_for_ever, args=(redis_url, name, thinking))
    worker.start()
    assert thinking.wait(PATIENCE_SECONDS)
    worker.kill()
    worker.join()
    assert room.decisions.is_leased(name)
    assert 0 < redis_client.pttl(keys.bots(name)) <= bot_turns.BOT_LEASE_MS
    redis_client.delete(keys.bots(name))
    bot_turns.play(room.services, name, lambda _game, _view, *_: 2, sleep=room.clock.sleep)
    assert load(room.services, name).revision == 2
    assert room.due.time(name) is None
