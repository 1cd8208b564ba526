"""Sessions while Redis dies and sleeps: each acknowledged move stays."""

import signal
import time

from service.store.clients import PATIENCE
from tests.faults.kit import Mortal
from tests.faults.witness import WitnessedSitting
from tests.service.kit import PEOPLE, SESSIONS, Sitting, application, bid, code_of, sit

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
