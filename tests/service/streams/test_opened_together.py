"""Streams that open in one batch share their exchanges with Redis, and each receives its own events once."""

from typing import Any

import pytest
from flask import Flask

from service.http.request import Request
from service.http.streaming import Stream
from service.store.feed import ask_each
from service.store.session_store import SessionStore
from tests.service.kit import PEOPLE, SPECTATOR, Sitting, application, bid, sit
from tests.service.sessions.batched import batch, note_loads
from tests.service.streams.hearing import NDJSON, parsed

SESSIONS = 3


def stream_request(sitting: Sitting, seat: int | None, query: str = "") -> Request:
    headers = {"accept": NDJSON, **{name.lower(): text for name, text in sitting.token(seat).items()}}
    return Request("GET", f"{sitting.here}/events", query, headers, client="192.0.2.1")


def take_messages(stream: Stream) -> list[dict[str, Any]]:
    """Return the messages until the first wait."""
    text, subscription, _ = stream.read()
    assert subscription is not None
    return parsed(text.decode(), NDJSON)


def test_a_batch_reads_each_session_once_and_marks_all_seats_in_one_exchange(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    sittings = [sit(app, *PEOPLE) for _ in range(SESSIONS)]
    seats = [*range(len(PEOPLE)), SPECTATOR]
    loaded, exchanges = note_loads(monkeypatch), list[int]()

    def ask_and_note(client: Any, asks: Any) -> Any:
        exchanges.append(len(asks))
        return ask_each(client, asks)

    monkeypatch.setattr("service.sessions.broadcasts.ask_each", ask_and_note)
    answers = batch(app, *(stream_request(sitting, seat) for sitting in sittings for seat in seats))
    assert [answer.status for answer in answers] == [200] * len(answers)
    assert sorted(loaded) == sorted(sitting.made["id"] for sitting in sittings)
    assert exchanges == [SESSIONS]
    for place, answer in enumerate(answers):
        state, presence = take_messages(answer.stream)
        assert state["data"]["you"] == (None if (seat := seats[place % len(seats)]) == SPECTATOR else {"seat": seat})
        assert presence["data"]["connected"] == seats[:-1]
    for answer in answers:
        answer.stream.close()


def test_a_refusal_in_a_batch_is_only_its_own(redis_url: str) -> None:
    app = application(redis_url=redis_url, streams=2)
    sitting = sit(app, *PEOPLE)
    asked = [
        stream_request(sitting, 0),
        stream_request(sitting, 1, "after=x"),
        stream_request(sitting, 1),
        stream_request(sitting, SPECTATOR),
    ]
    answers = batch(app, *asked)
    assert [answer.status for answer in answers] == [200, 422, 200, 503]
    answers[0].stream.close()
    (again,) = batch(app, asked[3])
    assert again.status == 200
    for answer in (answers[2], again):
        answer.stream.close()


def test_a_stream_that_is_closed_after_a_long_state_leaves_nothing_behind(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    sitting = sit(app, *PEOPLE)
    monkeypatch.setattr("service.http.streaming.PIECE_BYTES", 1)  # the state fills the first piece
    (answer,) = batch(app, stream_request(sitting, 0))
    broadcasts = app.extensions["context"].broadcasts
    assert broadcasts.heard(sitting.made["id"]) == 1
    answer.stream.close()
    assert broadcasts.heard(sitting.made["id"]) is None


def test_a_change_between_the_load_and_the_join_is_sent_once(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    sitting = sit(app, *PEOPLE)
    load = SessionStore.fields_of

    def load_and_move(store: SessionStore, names: list[str]) -> Any:
        found = load(store, names)
        monkeypatch.setattr(SessionStore, "fields_of", load)
        assert sitting.move(0, bid(1)).status_code == 201
        return found

    monkeypatch.setattr(SessionStore, "fields_of", load_and_move)
    answers = batch(app, stream_request(sitting, 0), stream_request(sitting, 1))
    for seat, answer in enumerate(answers):
        names = [message["event"] for message in take_messages(answer.stream)]
        assert names == (["state", "change", "presence"] if seat == 0 else ["state", "presence"])
        answer.stream.close()
