"""Long polls answer when something is new; streams and long polls share places, which are always given back."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

import pytest
import redis
from flask import Flask
from werkzeug.test import TestResponse

from games.core.table import SPECTATOR as SPECTATORS
from service.http.context import AppContext
from service.http.problems import Problem
from service.http.wait_slots import WaitSlots
from service.sessions.broadcast import Waiting
from service.sessions.reading import load
from service.settings import Limits
from service.store import keys
from tests.service.kit import PEOPLE, SPECTATOR, Sitting, application, bid, code_of, sit
from tests.service.sessions.batched import in_batches, in_flask
from tests.service.streams.hearing import chunks, listen
from tests.workers.processes import until

PLACES = 12
"""Maximum number of waiting requests at the application of these tests."""


@pytest.fixture(params=[in_flask, in_batches])
def sitting(request: pytest.FixtureRequest, app: Flask) -> Iterator[Sitting]:
    """Yield a session whose polls wait in Flask, or in batches."""
    with request.param(app):
        yield sit(app, *PEOPLE, {"kind": "human"})


def room(app: Flask) -> WaitSlots:
    house: AppContext = app.extensions["context"]
    return house.wait_slots


@contextmanager
def no_place_but(app: Flask, left: int) -> Iterator[None]:
    places = [room(app).take(object()) for _ in range(PLACES - left)]
    yield
    for place in places:
        place.release()


@pytest.fixture(autouse=True)
def every_place_is_given_back(app: Flask) -> Iterator[None]:
    yield
    with no_place_but(app, 0), pytest.raises(Problem, match="streams-busy"):
        room(app).take(object())


@contextmanager
def polling(sitting: Sitting, caller: int | None, query: str) -> Iterator[Future[tuple[float, TestResponse]]]:
    """Poll in the background, with the ETag of now; the result is the time it took and the answer."""
    tag = sitting.look(caller, query.replace("wait=20", "wait=0")).headers["ETag"]

    def poll() -> tuple[float, TestResponse]:
        began = time.monotonic()
        answer = sitting.look(caller, query, If_None_Match=tag)
        return time.monotonic() - began, answer

    with ThreadPoolExecutor(1) as pool:
        polled = pool.submit(poll)
        settled(sitting, polled)
        yield polled


def settled(sitting: Sitting, polled: Future[tuple[float, TestResponse]]) -> None:
    """Wait until a poll listens, after all available events, or has answered."""
    house: AppContext = sitting.app.extensions["context"]
    name = sitting.made["id"]
    until(lambda: polled.done() or house.broadcasts.heard(name) == house.sessions.store.revision(name))


@pytest.mark.parametrize("query", ["?wait=20", "?wait=20&expand=legal_moves"])
def test_a_poll_answers_as_soon_as_the_callers_version_moves(sitting: Sitting, query: str) -> None:
    with polling(sitting, 0, query) as polled:
        sitting.move(1, bid(1))
        sitting.move(2, bid(1))
        settled(sitting, polled)
        assert not polled.done()
        sitting.move(0, bid(1))
        seconds, answer = polled.result(60)
    assert seconds < 15
    assert answer.json is not None
    assert (answer.status_code, answer.json["version"]) == (200, 2)
    assert answer.headers["ETag"].startswith('"2.en.')


def test_a_poll_answers_304_where_nothing_was_new_so_long_and_others_moves_do_not_show(sitting: Sitting) -> None:
    with polling(sitting, SPECTATOR, "?wait=1") as polled:
        sitting.move(1, bid(1))
        seconds, answer = polled.result(60)
    assert 0.9 < seconds < 15
    assert (answer.status_code, answer.data) == (304, b"")


def test_a_late_waiter_is_woken_by_unseen_changes_alone(app: Flask, sitting: Sitting) -> None:
    house: AppContext = app.extensions["context"]
    services = house.sessions
    sitting.move(0, bid(1))
    seen = load(services, sitting.made["id"])
    sitting.move(1, bid(1))

    def woken(seat: int) -> bool:
        (waiting,) = house.broadcasts.wait_each(services, [(seen, seat, 60.0)])
        assert isinstance(waiting, Waiting)
        waiting.end()
        return waiting.wait.is_done

    assert [woken(seat) for seat in range(3)] == [False, True, False]
    sitting.move(2, bid(1))
    assert all(woken(seat) for seat in (*range(3), SPECTATORS))


def at_once(ask: Callable[[], TestResponse]) -> TestResponse:
    began = time.monotonic()
    answer = ask()
    assert time.monotonic() - began < 15
    return answer


def test_a_poll_without_the_etag_of_now_or_of_a_session_that_is_over_answers_at_once(sitting: Sitting) -> None:
    assert at_once(lambda: sitting.look(0, "?wait=20")).status_code == 200
    assert at_once(lambda: sitting.look(0, "?wait=20", If_None_Match='"0.en.view"')).status_code == 200
    sitting.call("owner", "DELETE")
    tag = sitting.look(0).headers["ETag"]
    assert at_once(lambda: sitting.look(0, "?wait=20", If_None_Match=tag)).status_code == 304


def test_a_poll_at_a_session_that_goes_away_says_so(sitting: Sitting, redis_client: redis.Redis) -> None:
    with polling(sitting, 0, "?wait=1") as polled:
        redis_client.delete(keys.session(sitting.made["id"]))
        _, answer = polled.result(60)
    assert (answer.status_code, code_of(answer)) == (404, "unknown-session")


def test_where_no_place_is_free_polls_and_streams_are_told_when_to_come_back(app: Flask, sitting: Sitting) -> None:
    tag = sitting.look(0).headers["ETag"]
    with no_place_but(app, 0):
        for answer in (at_once(lambda: sitting.look(0, "?wait=20", If_None_Match=tag)), listen(sitting, 0)):
            assert (answer.status_code, code_of(answer), answer.headers["Retry-After"]) == (503, "streams-busy", "5")
        assert sitting.look(0, "?wait=0", If_None_Match=tag).status_code == 304
        assert sitting.look(0, "?wait=20").status_code == 200
    answer = listen(sitting, 0)
    assert answer.status_code == 200
    answer.close()


@pytest.mark.parametrize("caller", [0, SPECTATOR], ids=["a seat", "the spectators"])
def test_no_caller_has_more_than_half_of_the_places(app: Flask, sitting: Sitting, caller: int | None) -> None:
    shown = sitting.look(caller)
    assert shown.json is not None
    assert app.test_client().get("/v1/limits").json["streams_per_caller"] == PLACES // 2  # type: ignore[index]
    opened = [listen(sitting, caller) for _ in range(PLACES // 2 - 1)]
    opened.append(app.test_client().get(shown.json["stream_url"]))
    assert {answer.status_code for answer in opened} == {200}
    polled = at_once(lambda: sitting.look(caller, "?wait=20", If_None_Match=shown.headers["ETag"]))
    for refused in (polled, listen(sitting, caller), app.test_client().get(shown.json["stream_url"])):
        assert (refused.status_code, code_of(refused)) == (429, "too-many-streams")
        assert refused.headers["Retry-After"] == "5"
    opened.append(listen(sitting, 1))  # others have places
    opened.pop(0).close()
    opened.append(listen(sitting, caller))
    assert {answer.status_code for answer in opened} == {200}
    for answer in opened:
        answer.close()


@pytest.mark.parametrize(
    ("streams", "wanted", "each"), [(48, 12, 12), (3, 12, 2), (1, 12, 1), (0, 12, 0), (48, 99, 24)]
)
def test_one_caller_never_may_have_all_places(streams: int, wanted: int, each: int) -> None:
    assert Limits(streams=streams, streams_per_caller=wanted).streams_per_caller == each


def test_a_place_is_given_back_whichever_way_a_stream_ends(app: Flask, sitting: Sitting) -> None:
    with no_place_but(app, 1):
        for _ in range(3):
            unread = listen(sitting, 0)
            assert listen(sitting, 1).status_code == 503
            unread.close()
        for _ in range(3):
            begun = listen(sitting, 0)
            next(chunks(begun))
            begun.close()
        for _ in range(3):
            assert listen(sitting, 0, "?after=9").status_code == 410
            head = sitting.call(0, "HEAD", "/events")
            assert (head.status_code, head.data) == (200, b"")
            head.close()
        sitting.call("owner", "DELETE")
        for _ in range(3):
            assert listen(sitting, 0).text.endswith('data: {"status":"aborted"}\n\n')


def test_a_place_given_back_twice_is_given_back_once() -> None:
    small = WaitSlots(2, 2)
    one, _ = small.take("one"), small.take("other")
    with pytest.raises(Problem, match="streams-busy"):
        small.take("another")
    one.release()
    one.release()
    small.take("another")
    with pytest.raises(Problem, match="streams-busy"):
        small.take("another")


def test_an_address_has_a_share_of_the_places_and_some_of_it_for_polls() -> None:
    places = WaitSlots(16, 99, 8)
    for number in range(6):
        places.take(number, "a", stream=True)
    with pytest.raises(Problem, match="too-many-streams"):
        places.take("one more stream", "a", stream=True)
    polls = [places.take(number, "a") for number in range(2)]
    with pytest.raises(Problem, match="too-many-streams"):
        places.take("one more poll", "a")
    polls[0].release()
    places.take("a poll again", "a")
    for number in range(6):
        places.take(number, "b", stream=True)  # others have their share
    with pytest.raises(Problem, match="streams-busy"):  # streams take three quarters of all places
        places.take("a key", None, stream=True)
    places.take("a key", None)


@pytest.mark.parametrize("streams", [1, 2, 3])
def test_a_share_is_no_more_than_half_and_never_nothing(streams: int) -> None:
    places = WaitSlots(streams, 99, 24)
    for number in range((streams + 1) // 2):
        places.take(number, "a", stream=True)
    with pytest.raises(Problem, match="too-many-streams"):
        places.take("more", "a", stream=True)


def test_without_a_share_one_address_may_have_all_places() -> None:
    places = WaitSlots(4, 99)
    for number in range(4):
        places.take(number, "a", stream=True)
    with pytest.raises(Problem, match="streams-busy"):
        places.take("more", "a", stream=True)


def test_one_address_leaves_streams_and_polls_of_all_sessions_to_others(redis_url: str) -> None:
    app = application(redis_url=redis_url, streams=8, streams_per_caller=4, open_streams_per_address=4)
    mine, yours = [sit(app) for _ in range(4)], sit(app)
    opened = [listen(sitting, 0) for sitting in mine]
    assert [answer.status_code for answer in opened] == [200] * 3 + [429]
    assert code_of(opened[3]) == "too-many-streams"
    there = yours.call(0, "GET", "/events", environ_base={"REMOTE_ADDR": "192.0.2.9"})
    assert there.status_code == 200
    for answer in (*opened, there):
        answer.close()
