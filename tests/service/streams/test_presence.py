"""Presence: everyone sees which seats have answered a sealed decision and are connected, without a new version."""

from typing import Any

import pytest
import redis
from flask import Flask

from service.sessions.presence import rounded
from service.store import keys
from service.store.connections import HERE_MS, Register, member, watchers
from tests.service.kit import PEOPLE, SPECTATOR, Clock, Sitting, bid, freeze, sit, take
from tests.service.streams.hearing import NDJSON, chunks, listen, parsed

PRESENT = {"asked": [0, 1, 2], "answered": []}


@pytest.fixture
def sitting(app: Flask) -> Sitting:
    return sit(app, *PEOPLE, {"kind": "human"})


def read_presence(sitting: Sitting, caller: int | str | None = SPECTATOR) -> Any:
    return sitting.look(caller, "/presence").json


def test_presence_shows_answered_seats_and_views_all_actors(sitting: Sitting) -> None:
    answered: list[int] = []
    for seat in (1, 2, 0):
        for caller in (0, 1, 2, SPECTATOR, "owner"):
            assert read_presence(sitting, caller) == {"asked": [0, 1, 2], "answered": sorted(answered), "connected": []}
            assert sitting.standing(caller)["actors"] == [0, 1, 2]
        assert sitting.move(seat, bid(1)).status_code == 201
        answered.append(seat)
    assert read_presence(sitting) == {"asked": [0], "answered": [], "connected": []}
    sitting.move(0, take(1))
    assert read_presence(sitting)["asked"] == [1]
    sitting.call("owner", "DELETE")
    assert read_presence(sitting) == {"asked": [], "answered": [], "connected": []}


def test_presence_has_an_etag_of_its_own_that_moves_where_no_version_does(sitting: Sitting) -> None:
    before = sitting.look(0, "/presence")
    again = sitting.look(0, "/presence", If_None_Match=before.headers["ETag"])
    assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", before.headers["ETag"])
    versions = [sitting.version(0), sitting.version(2)]
    sitting.move(1, bid(1))
    assert [sitting.version(0), sitting.version(2)] == versions
    after = sitting.look(0, "/presence", If_None_Match=before.headers["ETag"])
    assert after.status_code == 200
    assert after.headers["ETag"] != before.headers["ETag"]
    assert after.headers["Cache-Control"] == "private, no-cache"


def test_a_seat_is_connected_while_it_listens_and_a_spectator_is_nobody(sitting: Sitting) -> None:
    open_streams = [listen(sitting, caller, Accept=NDJSON) for caller in (2, 2, SPECTATOR)]
    streams = [chunks(answer) for answer in open_streams]
    for stream in streams:
        assert parsed(next(stream), NDJSON)[0]["event"] == "state"
        assert parsed(next(stream), NDJSON)[0]["data"]["connected"] == [2]
    assert read_presence(sitting)["connected"] == [2]
    open_streams[0].close()
    assert read_presence(sitting)["connected"] == [2]
    open_streams[1].close()
    assert read_presence(sitting)["connected"] == []
    open_streams[2].close()


def test_watchers_are_counted_without_seats_and_without_identities(sitting: Sitting) -> None:
    seat = listen(sitting, 0, Accept=NDJSON)
    stream = chunks(seat)
    next(stream), next(stream)
    open_streams = []
    for number in (1, 2, 3):
        answer = listen(sitting, SPECTATOR, Accept=NDJSON)
        watching = chunks(answer)
        assert next(watching)
        assert parsed(next(watching), NDJSON)[0]["data"]["watchers"] == number
        assert parsed(next(stream), NDJSON)[0]["data"]["watchers"] == number, "an open stream is told"
        assert read_presence(sitting) == {**PRESENT, "connected": [0], "watchers": number}
        open_streams.append(answer)
    tag = sitting.look(0, "/presence").headers["ETag"]
    for answer in open_streams:
        answer.close()
    assert read_presence(sitting) == {**PRESENT, "connected": [0]}
    assert sitting.look(0, "/presence", If_None_Match=tag).status_code == 200
    seat.close()


def test_a_waiting_spectator_is_a_watcher(sitting: Sitting) -> None:
    tag = sitting.look(SPECTATOR).headers["ETag"]
    for _ in range(2):
        assert sitting.look(SPECTATOR, "?wait=1", If_None_Match=tag).status_code == 304
        assert read_presence(sitting, 0)["watchers"] == 1


def test_the_watchers_of_several_processes_add_up_and_expire(
    app: Flask, sitting: Sitting, redis_client: redis.Redis
) -> None:
    clock, register = Clock(), Register(redis_client)
    with freeze(app, clock):
        for now, mark in ((0, watchers("a", 3)), (1, watchers("b", 1)), (2, watchers("a", 2))):
            register.look(sitting.made["id"], clock.now + now, [mark])
        for passed, number in ((2, 3), (HERE_MS + 1, 2), (HERE_MS + 2, None)):
            clock.now = Clock.now + passed
            assert read_presence(sitting).get("watchers") == number


@pytest.mark.parametrize(("exact", "shown"), [(0, 0), (9, 9), (10, 10), (19, 10), (99, 90), (1234, 1000)])
def test_a_crowd_is_rounded(exact: int, shown: int) -> None:
    assert rounded(exact) == shown


def test_a_silent_loss_counts_as_connected_for_a_while(app: Flask, sitting: Sitting, redis_client: redis.Redis) -> None:
    clock = Clock()
    with freeze(app, clock):
        # as a web process does that dies right after it
        Register(redis_client).look(sitting.made["id"], clock.now, [member(0, "lost")])
        for passed, connected in ((0, [0]), (HERE_MS - 1, [0]), (HERE_MS, [])):
            clock.now = Clock.now + passed
            assert read_presence(sitting)["connected"] == connected


def test_a_waiting_caller_is_connected(sitting: Sitting) -> None:
    tag = sitting.look(1).headers["ETag"]
    assert sitting.look(1, "?wait=1", If_None_Match=tag).status_code == 304
    assert read_presence(sitting)["connected"] == [1]


def test_a_stream_tells_presence_without_an_id_whenever_it_changes(sitting: Sitting) -> None:
    answer = listen(sitting, SPECTATOR)
    stream = chunks(answer)
    next(stream), next(stream)
    heard = [next(stream)]
    for seat in (2, 0):
        sitting.move(seat, bid(1))
        heard.append(next(stream))
    assert [parsed(chunk)[0] for chunk in heard] == [
        {"event": "presence", "data": {"asked": [0, 1, 2], "answered": answered, "connected": [], "watchers": 1}}
        for answered in ([], [2], [0, 2])
    ]
    assert not any("id:" in chunk for chunk in heard)
    sitting.move(1, bid(1))
    assert [parsed(next(stream))[0]["event"] for _ in range(2)] == ["change", "presence"]
    answer.close()


def test_connections_leave_no_data(sitting: Sitting, redis_client: redis.Redis) -> None:
    answer = listen(sitting, 0)
    stream = chunks(answer)
    next(stream), next(stream), next(stream)
    here = keys.here(sitting.made["id"])
    assert 0 < redis_client.pttl(here) <= HERE_MS
    answer.close()
    assert not redis_client.exists(here)
