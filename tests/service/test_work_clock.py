"""A request ends when its processor time is over or its client has gone, and pictures are drawn one at a time."""

import asyncio
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any, Final

import pytest
from flask import Flask, Response
from flask.testing import FlaskClient

from games.core.checkpoint import checkpoint
from games.core.registry import registered
from service.api.engine import PictureQuery
from service.http.error_handlers import CLIENT_CLOSED_REQUEST
from service.pictures.drawing_slots import DrawingsBusy, DrawingSlots
from service.work_clock import ClientGone, TooMuchWork, WorkClock
from tests.server.lines import Client
from tests.server.lines import application as served
from tests.service.kit import PEBBLES, Sitting, application, sit, snapshot
from tests.toy import GAME

BATCH = "/v1/jobs/searches:batch"


@contextmanager
def checks(most: int | None = None) -> Iterator[list[None]]:
    """Count the checkpoints that requests pass; the one after `most` ends the request."""
    found: list[None] = []

    def check(_: WorkClock) -> None:
        found.append(None)
        if most is not None and len(found) > most:
            raise TooMuchWork(most)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WorkClock, "check", check)
        yield found


@pytest.fixture(scope="module")
def table(redis_server: str) -> Flask:
    return application({GAME.slug: GAME, **registered()}, redis_server)


@pytest.fixture
def client(table: Flask, redis_url: str) -> FlaskClient:
    assert redis_url
    return table.test_client()


def record(moves: int) -> dict[str, Any]:
    bids = [{"seat": seat, "move": {"kind": "bid_pebbles", "amount": 1}} for seat in (0, 1)]
    takes = [{"seat": number % 2, "move": {"kind": "take_pebbles", "amount": 1}} for number in range(moves - 2)]
    return {"seat_count": 2, "seed": "a seed", "options": {"heap": 40}, "moves": [*bids, *takes]}


def serious(client: FlaskClient, moves: int) -> Sitting:
    sitting = sit(client.application, seed=None)
    for _ in range(moves):
        seat = next(seat for seat in sitting.standing(0)["actors"] if sitting.moves(seat))
        assert sitting.move(seat, sitting.moves(seat)[0]["move"]).status_code == 201
    assert sitting.call("owner", "DELETE").status_code == 204
    return sitting


def positions(client: FlaskClient, size: int) -> dict[str, Any]:
    position = {"snapshot": snapshot(client), "seat": 0}
    return {"game": "pebbles", "budget": {"iterations": 1}, "positions": [position] * size}


BODIES: Final[dict[str, Callable[[FlaskClient, int], dict[str, Any]]]] = {
    f"{PEBBLES}/replays": lambda _, size: record(size),
    BATCH: positions,
    "/v1/fairness:verify": lambda client, size: serious(client, size).look(0, "/fairness").json or {},
}


@pytest.mark.parametrize(("path", "each"), [(f"{PEBBLES}/replays", 2), (BATCH, 2), ("/v1/fairness:verify", 3)])
def test_every_loop_over_a_bodys_parts_passes_a_checkpoint(path: str, each: int, client: FlaskClient) -> None:
    counts = []
    for size in (2, 6):
        body = BODIES[path](client, size)
        with checks() as found:
            assert client.post(path, json=body).status_code in {200, 202}
        counts.append(len(found))
    assert counts[1] - counts[0] >= each * 4


@pytest.mark.parametrize(("part", "each"), [("/history", 1), ("/replay", 1), ("/fairness", 2)])
def test_every_loop_over_a_sessions_parts_passes_a_checkpoint(part: str, each: int, client: FlaskClient) -> None:
    counts = []
    for size in (2, 6):
        sitting = serious(client, size)
        with checks() as found:
            assert sitting.look(0, part).status_code == 200
        counts.append(len(found))
    assert counts[1] - counts[0] >= each * 4


def test_a_picture_passes_a_checkpoint_at_every_piece(client: FlaskClient) -> None:
    made = client.post("/v1/games/barbarossa/snapshots", json={"seat_count": 3, "seed": "a seed"}).json
    assert made is not None
    while made["snapshot"]["ply"] < 3:
        seated = {"snapshot": made["snapshot"], "seat": made["actors"][0]}
        (first, *_) = client.post("/v1/games/barbarossa/legal-moves", json=seated).json["moves"]  # type: ignore[index]
        made = client.post("/v1/games/barbarossa/moves", json={**seated, "move": {"code": first["code"]}}).json
        assert made is not None
    body = {"snapshot": made["snapshot"], "seat": None}
    with checks() as found:
        assert client.post("/v1/games/barbarossa/pictures", json=body).status_code == 200
    assert len(found) >= 9
    with checks(most=len(found) - 1):
        assert client.post("/v1/games/barbarossa/pictures", json=body).status_code == 503
    with checks(most=len(found)):
        assert client.post("/v1/games/barbarossa/pictures", json=body).status_code == 200  # the pen was given back


def test_a_request_over_its_processor_time_is_a_problem_with_503() -> None:
    answer = application(request_cpu_milliseconds=0).test_client().post(f"{PEBBLES}/replays", json=record(2))
    assert (answer.status_code, answer.mimetype) == (503, "application/problem+json")
    assert answer.json is not None
    assert answer.json["code"] == "too-much-work"
    assert " 0 milliseconds" in answer.json["detail"]


def test_a_batch_that_takes_too_long_begins_nothing_and_may_be_sent_again(client: FlaskClient) -> None:
    named, body = {"Idempotency-Key": str(uuid.uuid4())}, positions(client, 5)
    with checks() as found:
        assert client.post(BATCH, json=body).status_code == 202
    with checks(most=len(found) - 1):
        refused = client.post(BATCH, json=body, headers=named)
    assert (refused.status_code, (refused.json or {})["code"]) == (503, "too-much-work")
    again = client.post(BATCH, json=body, headers=named)
    assert again.status_code == 202
    assert "Idempotency-Replayed" not in again.headers


def test_the_clock_counts_the_processor_time_of_its_own_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [5.0]
    monkeypatch.setattr(time, "thread_time", lambda: now[0])
    looks: list[float] = []

    def gone() -> bool:
        looks.append(now[0])
        return False

    clock = WorkClock(2000, gone)
    clock.check()
    assert looks == []
    now[0] = 7.0
    clock.check()
    clock.check()
    assert looks == [7.0]
    now[0] = 7.01
    with pytest.raises(TooMuchWork):
        clock.check()


def test_work_ends_once_its_client_has_gone() -> None:
    app = application()
    ended: list[type[Exception]] = []

    @app.get("/endless")
    def endless() -> Response:
        try:
            while True:
                checkpoint()
        except Exception as error:
            ended.append(type(error))
            raise

    async def call() -> Client:
        client = Client("GET", "/endless")
        client.leave()
        await served(app)(client.scope, client.receive, client.send)
        return client

    assert asyncio.run(call()).status == CLIENT_CLOSED_REQUEST
    assert ended == [ClientGone]


def test_a_request_leaves_no_clock_behind() -> None:
    application(request_cpu_milliseconds=0).test_client().post(f"{PEBBLES}/replays", json=record(2))
    checkpoint()


def test_one_request_draws_a_few_wait_and_others_come_again_later() -> None:
    slots = DrawingSlots(2)
    with slots.slot(lambda: False):
        with pytest.raises(ClientGone), slots.slot(lambda: True):
            pytest.fail("two draw at the same time")
        with ExitStack() as stack:
            stack.enter_context(one_place_taken(slots))
            with pytest.raises(DrawingsBusy), slots.slot(lambda: False):
                pytest.fail("more wait than may")
    with slots.slot(lambda: True):
        pass


@contextmanager
def one_place_taken(slots: DrawingSlots) -> Iterator[None]:
    """Wait for the right to draw, in another thread that goes when this ends."""
    import threading  # noqa: PLC0415

    waits, goes = threading.Event(), threading.Event()

    def gone() -> bool:
        waits.set()
        goes.wait()
        return True

    def wait() -> None:
        with pytest.raises(ClientGone), slots.slot(gone):
            pass

    thread = threading.Thread(target=wait)
    thread.start()
    waits.wait()
    yield
    goes.set()
    thread.join()


@pytest.mark.parametrize("whose", ["snapshot", "session"])
def test_a_picture_that_may_not_even_wait_is_503(whose: str, redis_url: str) -> None:
    app = application(redis_url=redis_url, drawings=1)
    client = app.test_client()
    if whose == "session":
        ask = partial(client.get, f"{sit(app).here}/picture")
    else:
        ask = partial(client.post, f"{PEBBLES}/pictures", json={"snapshot": snapshot(client), "seat": None})
    with app.extensions["context"].drawing_slots.slot(lambda: False):
        refused = ask()
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "1")
    assert (refused.json or {})["code"] == "drawings-busy"
    assert ask().status_code == 200


@pytest.mark.parametrize(
    ("given", "drawn"), [("0", 0), ("7", 0), ("8", 15), ("22", 15), ("-7", 0), ("-8", 345), ("359", 0), ("-359", 0)]
)
def test_angles_are_rounded_to_fifteen_degrees(given: str, drawn: int) -> None:
    assert PictureQuery().load({"angle": given})["angle"] == drawn
