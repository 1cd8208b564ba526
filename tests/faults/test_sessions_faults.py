"""Sessions while Redis dies, sleeps and loses responses, and while workers die: each acknowledged move stays."""

import multiprocessing
import signal
import time
from typing import Any

import redis

from games.core.game import Game, View
from service.sessions.reading import load
from service.store import keys
from service.store.clients import PATIENCE
from service.store.sessions import Seat
from tests.faults.kit import Mortal
from tests.faults.witness import WitnessedSitting
from tests.launch.kit import PATIENCE_SECONDS
from tests.service.kit import PEOPLE, SESSIONS, Sitting, application, bid, code_of, open_room, sit
from workers.sessions import bot_turns

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


def test_while_redis_sleeps_calls_fail_and_a_possible_move_is_made_once(
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


def _think_for_ever(url: str, name: str, thinking: Any) -> None:
    """Play a bot whose adviser never ends; runs in a process of its own, to be killed."""

    def choose(_game: Game, _view: View, _level: str, _seed: str, _tick: bot_turns.Tick) -> int:
        thinking.set()
        time.sleep(600)
        return 0

    bot_turns.play(open_room(url).services, name, choose)


def test_a_worker_killed_in_thought_leaves_its_turn_to_the_next(redis_url: str, redis_client: redis.Redis) -> None:
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
