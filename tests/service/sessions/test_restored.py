"""A store that was restored, or lost its last moments: a client's data of the lost history fits no other.

The keys of a session are put back as they were, and other moves are made until the versions are as before.
"""

from contextlib import closing
from typing import Any

import pytest
import redis
from flask import Flask

from games.core.table import SPECTATOR
from service.sessions.play import make_move
from service.store import keys
from tests.service.kit import Room, Sitting, bid, code_of, sit, take
from tests.service.streams.hearing import NDJSON, SSE, chunks, listen, numbered, parsed, patched, read_stream

FORMATS = pytest.mark.parametrize("kind", [NDJSON, SSE])
AUDIENCES = pytest.mark.parametrize("caller", [0, 1, None])


@pytest.fixture
def sitting(app: Flask) -> Sitting:
    sitting = sit(app)
    for seat, amount in enumerate((2, 1)):
        assert sitting.move(seat, bid(amount)).status_code == 201
    return sitting


def dump_session(client: redis.Redis, sitting: Sitting) -> dict[str, bytes]:
    name = sitting.made["id"]
    return {key: client.dump(key) for key in (keys.session(name), keys.log(name))}  # type: ignore[misc]


def put_back(client: redis.Redis, backup: dict[str, bytes]) -> None:
    for key, value in backup.items():
        client.restore(key, 60_000, value, replace=True)


def last(sitting: Sitting, caller: int | None, kind: str = NDJSON) -> dict[str, Any]:
    with closing(listen(sitting, caller, Accept=kind)) as stream:
        text = next(chunk for chunk in chunks(stream) if "state" in chunk)
        return numbered(parsed(text, kind))[0]


@pytest.fixture
def forked(sitting: Sitting, redis_client: redis.Redis) -> tuple[Sitting, dict[Any, Any]]:
    """Return a session whose last two moves were lost and replaced, with each caller's earlier state."""
    backup = dump_session(redis_client, sitting)
    mover = sitting.look(0).json["actors"][0]  # type: ignore[index]
    assert sitting.move(mover, take(1)).status_code == 201
    assert sitting.move(1 - mover, take(2)).status_code == 201
    had = {caller: (sitting.look(caller), last(sitting, caller)) for caller in (0, 1, None)}
    put_back(redis_client, backup)
    assert sitting.move(mover, take(2)).status_code == 201
    assert sitting.move(1 - mover, take(2)).status_code == 201
    return sitting, had


@AUDIENCES
def test_an_old_etag_gets_the_new_state(forked: tuple[Sitting, dict[Any, Any]], caller: int | None) -> None:
    sitting, had = forked
    was = had[caller][0]
    for path in ("", "?wait=20", "/history", "/picture"):
        tag = was.headers["ETag"].replace(
            "view", {"/history": "history", "/picture": "picture-light"}.get(path, "view")
        )
        assert sitting.look(caller, path, If_None_Match=tag).status_code == 200
    now = sitting.look(caller)
    assert (now.json["version"], now.json["view"] == was.json["view"]) == (was.json["version"], False)  # type: ignore[index]
    assert sitting.look(caller, If_None_Match=now.headers["ETag"]).status_code == 304


def test_an_old_if_match_is_outdated_and_a_bare_version_is_accepted(
    forked: tuple[Sitting, dict[Any, Any]],
) -> None:
    sitting, had = forked
    mover = sitting.look(0).json["actors"][0]  # type: ignore[index]
    refused = sitting.move(mover, take(1), had[mover][0].headers["ETag"])
    assert (refused.status_code, code_of(refused)) == (412, "stale-version")
    assert refused.headers["ETag"] == sitting.look(mover).headers["ETag"]
    several = f"{had[mover][0].headers['ETag']}, {refused.headers['ETag']}"
    assert sitting.move(mover, take(1), several).status_code == 201
    other = 1 - mover
    assert sitting.move(other, take(1), f'"{sitting.version(other)}"').status_code == 201


@AUDIENCES
@FORMATS
def test_an_old_stream_is_not_resumed(forked: tuple[Sitting, dict[Any, Any]], caller: int | None, kind: str) -> None:
    sitting, had = forked
    cursor = had[caller][1]["cursor"]
    for played_on in (False, True):
        if played_on:
            mover = sitting.look(0).json["actors"][0]  # type: ignore[index]
            assert sitting.move(mover, take(1)).status_code == 201
        for query, headers in ((f"?after={cursor}", {}), ("", {"Last_Event_ID": cursor})):
            answer = listen(sitting, caller, query, Accept=kind, **headers)
            assert (answer.status_code, code_of(answer)) == (410, "history-cut")


@AUDIENCES
@FORMATS
def test_both_resume_common_history(sitting: Sitting, redis_client: redis.Redis, caller: int | None, kind: str) -> None:
    before, backup = last(sitting, caller, kind), dump_session(redis_client, sitting)
    mover = sitting.look(0).json["actors"][0]  # type: ignore[index]
    assert sitting.move(mover, take(1)).status_code == 201
    put_back(redis_client, backup)
    assert last(sitting, caller, kind) == before
    assert sitting.move(mover, take(2)).status_code == 201
    sitting.call("owner", "DELETE")
    state = before["data"]
    for message in numbered(read_stream(sitting, caller, f"?after={before['cursor']}", Accept=kind)):
        state = patched(state, message["data"]["changes"])
    now = sitting.standing(caller)
    assert state == {name: now[name] for name in state}


def test_a_session_that_was_founded_again_is_another_one(app: Flask, redis_client: redis.Redis) -> None:
    body = {"game": "pebbles", "seats": [{"kind": "human"}] * 2, "spectators": "live"}
    client, named = app.test_client(), {"Idempotency-Key": "0f7d2a52-7ef5-4f5c-9c07-7a7f0a0b1d11"}
    made: list[Any] = []
    for _ in range(2):
        redis_client.flushall()
        made.append(Sitting(app, client.post("/v1/sessions", json=body, headers=named).json))  # type: ignore[arg-type]
        made.append(made[-1].look(None))
    first, had, again, now = made
    assert first.made["id"] == again.made["id"]
    assert had.headers["ETag"] != now.headers["ETag"]
    assert again.look(None, If_None_Match=had.headers["ETag"]).status_code == 200


def test_a_session_of_before_there_were_marks_goes_on(sitting: Sitting, redis_client: redis.Redis) -> None:
    name = sitting.made["id"]
    cursor = last(sitting, 0)["cursor"]
    redis_client.hdel(keys.session(name), "moved")
    old = sitting.look(0)
    assert old.headers["ETag"] == '"3.en.view@0"'
    assert last(sitting, 0)["cursor"] == "3"
    assert sitting.look(0, If_None_Match=old.headers["ETag"]).status_code == 304
    mover = old.json["actors"][0]  # type: ignore[index]
    assert sitting.move(mover, take(1), old.headers["ETag"]).status_code == 201
    redis_client.hset(keys.session(name), "versions", "5 4 4")  # an earlier service, which keeps no times, has moved it
    assert sitting.look(0).headers["ETag"] == '"5.en.view@0"'
    redis_client.hset(keys.session(name), "versions", "4 4 4")
    sitting.call("owner", "DELETE")
    for after in ("3", cursor):
        assert [message["id"] for message in numbered(read_stream(sitting, 0, f"?after={after}"))] == [4, 5]


def test_a_mark_reveals_nothing_hidden_from_its_audience(room: Room) -> None:
    session = room.begin().session
    client, noon, marks = room.services.store.client, room.clock.now, set()
    backup = {key: client.dump(key) for key in (keys.session(session.id), keys.log(session.id))}
    for delay, amount in ((1, 1), (700, 2), (30_000, 0)):
        put_back(client, backup)  # type: ignore[arg-type]
        room.clock.now = noon + delay
        sealed = make_move(room.services, session, 1, 1, "", lambda *_, code=amount: code).session
        assert (sealed.revision, sealed.mark(1) == session.mark(1)) == (2, False)
        room.clock.now = noon + 60_000
        opened = make_move(room.services, sealed, 0, 1, "", lambda *_: 1).session
        marks.add((sealed.mark(0), sealed.mark(SPECTATOR), opened.mark(0), opened.mark(SPECTATOR)))
    assert len(marks) == 1
