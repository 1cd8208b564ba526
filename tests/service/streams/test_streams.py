"""A stream sends one audience all its events, each once, under dense numbers, with any number of interruptions."""

import time
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
import redis
from flask import Flask

from games.core.registry import registered
from service.api.subscribers import beat_seconds
from service.sessions import broadcast
from service.sessions.reading import table_of
from service.store import keys
from service.store.clock import Calendar, no_stops
from tests.service.kit import PEOPLE, SPECTATOR, Sitting, bid, code_of, sit
from tests.service.streams.hearing import (
    BEAT,
    NDJSON,
    SSE,
    audiences,
    chunks,
    listen,
    numbered,
    parsed,
    patched,
    play,
    read_stream,
)
from tests.toy import GAME

EVERY_GAME = {GAME.slug: GAME, **registered()}


@pytest.fixture
def sitting(app: Flask) -> Sitting:
    return sit(app)


@pytest.fixture
def over(app: Flask) -> Sitting:
    sitting = sit(app, *PEOPLE, {"kind": "human"})
    play(sitting, Random(1), 99)
    return sitting


@pytest.mark.parametrize("slug", EVERY_GAME)
def test_changes_lead_from_the_state_to_what_the_audience_sees_at_each_version(app: Flask, slug: str) -> None:
    game = EVERY_GAME[slug]
    sitting = sit(app, *({"kind": "human"} for _ in range(game.seat_numbers[-1])), game=slug)
    with audiences(sitting) as listening:
        seen = play(sitting, Random(slug), 24)
        for audience in listening:
            messages = audience.messages.result(30)
            state: Any = None
            for number, message in enumerate(numbered(messages), start=1):
                assert message["id"] == number
                state = message["data"] if number == 1 else patched(state, message["data"]["changes"])
                assert state == seen[audience.caller, number]
            assert number == sitting.standing(audience.caller)["version"]
            assert messages[-1] == {"event": "end", "data": {"status": state["status"]}}


@pytest.mark.parametrize("kind", [SSE, NDJSON])
@pytest.mark.parametrize("caller", [0, 1, 2, SPECTATOR])
def test_a_stream_resumed_after_any_message_tells_the_same_rest(
    over: Sitting, caller: int | None, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # If the machine stands still for seconds, later displayed times are corrected.
    monkeypatch.setattr(over.app.extensions["context"].sessions.store, "calendar", no_stops)
    whole = read_stream(over, caller, "?after=0", Accept=kind)
    last = whole[-2]["id"]
    assert [message["event"] for message in whole] == ["state", *["change"] * (last - 1), "end"]
    for after in range(1, last + 1):
        assert read_stream(over, caller, f"?after={after}", Accept=kind) == whole[after:]
        assert read_stream(over, caller, Last_Event_ID=str(after)) == whole[after:]


@pytest.mark.parametrize("slug", EVERY_GAME)
def test_the_log_alone_tells_how_a_session_stood_after_each_line(app: Flask, slug: str) -> None:
    game = EVERY_GAME[slug]
    sitting = sit(app, *({"kind": "human"} for _ in range(game.seat_numbers[-1])), game=slug, seed=f"{slug} course")
    choice = Random(slug)
    for _ in range(40):
        session = sitting.stored()
        seats = game.actors(table_of(game, session))
        if not seats:
            break
        seat = choice.choice(seats)
        move = choice.choice(sitting.moves(seat))["move"]
        assert sitting.move(seat, move, session.versions[seat]).status_code == 201
    assert session.revision > 3


@pytest.fixture
def stop(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Return a function that lets the service have stood still for a number of milliseconds until now."""
    services = app.extensions["context"].sessions
    stops = list[tuple[int, int]]()
    monkeypatch.setattr(services.store, "calendar", lambda _=0: Calendar(sum(each for _, each in stops), tuple(stops)))

    def add(length: int) -> None:
        stops.append((services.now(), length))
        while services.now() <= stops[-1][0]:
            time.sleep(0.001)

    return add


@pytest.mark.parametrize("undo", ["off", "consent"])
def test_after_a_stop_streams_show_times_as_they_are(app: Flask, stop: Callable[[int], None], undo: str) -> None:
    sitting = sit(app, *PEOPLE, {"kind": "human"}, clock={"move_ms": 60_000, "policy": "random"}, undo=undo)
    callers, seen = [0, 1, 2, SPECTATOR], dict[tuple[int | None, int], dict[str, Any]]()
    with audiences(sitting) as listening:
        for length in (0, 90_000, 700):
            if length:
                stop(length)
            for _ in range(2):
                actors = sitting.standing(SPECTATOR)["actors"]
                seat = next(seat for seat in actors if sitting.moves(seat))
                assert sitting.move(seat, sitting.moves(seat)[-1]["move"]).status_code == 201
                for caller in callers:
                    state = sitting.standing(caller)
                    del state["links"]
                    seen.setdefault((caller, state["version"]), state)
        assert sitting.call("owner", "DELETE").status_code == 204
        told = {audience.caller: numbered(audience.messages.result(30)) for audience in listening}
    for caller, messages in told.items():
        history = sitting.look(caller, "/history").json["lines"]  # type: ignore[index]
        dated = {line["version"]: line["at"] for line in history if "version" in line}
        states = [messages[0]["data"]]
        for message in messages[1:]:
            states.append(patched(states[-1], message["data"]["changes"]))
            assert message["data"]["at"] == dated[message["id"]]
        for number, state in enumerate(states, start=1):
            assert state == seen.get((caller, number), state)
            if number < len(states):  # the change after a stop corrects all earlier deadlines
                resumed = numbered(read_stream(sitting, caller, f"?after={number}"))
                assert resumed == messages[number:]
        assert numbered(read_stream(sitting, caller, "?after=0")) == messages
    assert len(seen) > 12


def test_events_are_told_in_the_readers_language_and_with_the_players_names(app: Flask) -> None:
    sitting = sit(app, {"kind": "human", "name": "Zoë"}, {"kind": "human"})
    sitting.move(0, bid(1))
    sitting.call("owner", "DELETE")
    for query, language, text, headline in (
        ("?after=0", "en", "Zoë bids 1.", "The session was ended early"),
        ("?after=0&language=de", "en", "Zoë bietet 1.", "Die Sitzung wurde vorzeitig"),
    ):
        _, change, abort, _ = read_stream(sitting, 0, query, Accept_Language=language)
        assert change["data"]["events"][0]["text"] == text
        assert abort["data"]["changes"][-1]["value"].startswith(headline)


def test_a_stream_says_what_it_is_and_that_nobody_may_keep_it(over: Sitting) -> None:
    for accept, kind in (("", SSE), ("*/*", SSE), ("application/json", SSE), (f"{NDJSON}, {SSE};q=0.5", NDJSON)):
        answer = listen(over, 0, Accept=accept, Origin="https://somewhere.example")
        assert answer.content_type == kind
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert {part.strip() for part in answer.headers["Vary"].split(",")} == {
            "Accept",
            "Accept-Language",
            "Authorization",
        }
        answer.close()
    answer = listen(over, 0)
    assert answer.text.startswith("retry: 2000\n\nid: ")
    assert "\nretry: 3600000\nevent: end\n" in answer.text


def test_the_header_of_an_event_source_that_connects_again_wins_over_its_address(over: Sitting) -> None:
    assert read_stream(over, 0, "?after=0", Last_Event_ID="2") == read_stream(over, 0, "?after=2")
    assert read_stream(over, 0, "?after=2", Last_Event_ID="") == read_stream(over, 0, "?after=2")


@pytest.mark.parametrize("given", ["x", "-1", "1.5", " 1", "9" * 16, "²"])
def test_an_id_that_cannot_be_read_is_refused_with_its_place(over: Sitting, given: str) -> None:
    answer = listen(over, 0, Last_Event_ID=given)
    assert (answer.status_code, code_of(answer)) == (422, "invalid-header")
    assert answer.json["errors"][0]["in"] == "header"  # type: ignore[index]
    assert answer.json["errors"][0]["pointer"] == "/Last-Event-ID"  # type: ignore[index]


def test_a_listener_restarts_at_a_cut_history(over: Sitting, redis_client: redis.Redis) -> None:
    last = over.standing(0)["version"]
    assert code_of(listen(over, 0, f"?after={last + 1}")) == "history-cut"
    redis_client.xtrim(keys.log(over.made["id"]), minid="3-0", approximate=False)
    for after in range(last):
        answer = listen(over, 0, f"?after={after}")
        assert (answer.status_code, code_of(answer)) == (410, "history-cut")
    assert [message["event"] for message in read_stream(over, 0)] == ["state", "end"]
    assert [message["event"] for message in read_stream(over, 0, f"?after={last}")] == ["end"]


def test_a_session_that_is_no_longer_there_ends_its_streams(
    sitting: Sitting, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broadcast, "LOOK_SECONDS", 0.2)
    answer = listen(sitting, 0, Accept=NDJSON)
    stream = chunks(answer)
    assert [parsed(next(stream), NDJSON)[0]["event"] for _ in range(2)] == ["state", "presence"]
    redis_client.flushall()
    rest = [message for chunk in stream for message in parsed(chunk, NDJSON) if message != BEAT]
    assert rest == [{"event": "end", "data": {"status": "expired"}}]


def test_a_store_that_lost_lines_ends_the_stream_without_an_end(sitting: Sitting, redis_client: redis.Redis) -> None:
    kept: Any = redis_client.hgetall(keys.session(sitting.made["id"]))
    assert sitting.move(0, bid(1)).status_code == 201
    answer = listen(sitting, 0, Accept=NDJSON)
    stream = chunks(answer)
    next(stream)
    redis_client.hset(keys.session(sitting.made["id"]), mapping=kept)
    rest = [message["event"] for chunk in stream for message in parsed(chunk, NDJSON) if message != BEAT]
    assert set(rest) <= {"presence"}
    assert code_of(listen(sitting, 0, "?after=2")) == "history-cut"


@pytest.mark.parametrize(("kind", "first", "beat"), [(SSE, 3, ":\n\n"), (NDJSON, 2, '{"event":"heartbeat"}\n')])
def test_while_nothing_happens_a_heartbeat_comes_in_time(sitting: Sitting, kind: str, first: int, beat: str) -> None:
    answer = listen(sitting, SPECTATOR, Accept=kind)
    stream = chunks(answer)
    assert all(beat != next(stream) for _ in range(first))
    for _ in range(2):
        began = time.monotonic()
        assert next(stream) == beat
        assert time.monotonic() - began < 10
    answer.close()


def test_a_heartbeat_is_sent_before_it_is_due(app: Flask) -> None:
    due = app.extensions["context"].settings.limits.heartbeat_seconds
    with app.app_context():
        assert due / 2 < beat_seconds() < due


@pytest.mark.parametrize(
    ("caller", "session", "status", "code"),
    [
        (0, "f" * 32, 404, "unknown-session"),
        (0, "x", 404, "unknown-session"),
        ("nobody", None, 401, "unauthorized"),
        (SPECTATOR, None, 401, "unauthorized"),
        ("owner", None, 403, "forbidden"),
    ],
)
@pytest.mark.parametrize("part", ["/events?after=x", "/replay?x=1", "/picture?theme=red", "/fairness"])
def test_a_caller_without_access_learns_nothing_from_query_errors(
    app: Flask, part: str, caller: Any, session: str | None, status: int, code: str
) -> None:
    sitting = sit(app, spectators="none")
    token = {"Authorization": "Bearer nobody"} if caller == "nobody" else sitting.token(caller)
    path = f"/v1/sessions/{session or sitting.made['id']}{part.replace('?x=1', '')}"
    answer = app.test_client().get(path, headers=token)
    assert (answer.status_code, code_of(answer)) == (status, code)
