"""Streams include seats and clocks: every state that a client builds is the shown one."""

from typing import Any

import pytest
import redis
from flask import Flask

from service.wire.session_events import NDJSON
from tests.service.kit import Clock, Sitting, application, bid, freeze, sit
from tests.service.streams.hearing import numbered, patched, read_stream
from tests.toy import GAME
from workers.sessions import timers

MOVE_MS = 60_000


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_every_state_of_a_table_is_told_as_shown(redis_url: str, redis_client: redis.Redis, clock: Clock) -> None:
    app = application({GAME.slug: GAME}, redis_url)
    assert redis_client.dbsize() == 0
    with freeze(app, clock):
        sitting = sit(
            app,
            {"kind": "human", "name": "Zoë"},
            {"kind": "open"},
            {"kind": "human"},
            seed=None,
            clock={"move_ms": MOVE_MS, "policy": "bot", "bot": {"level": "random"}},
        )
        for caller, shown in happen(app, sitting, clock).items():
            messages = numbered(read_stream(sitting, caller, "?after=0", Accept=NDJSON))
            state: Any = None
            for message in messages:
                data = message["data"]
                state = data if message["event"] == "state" else patched(state, data["changes"])
                assert state == shown[message["id"]]
            kinds = [event["event"]["kind"] for message in messages[1:] for event in message["data"]["events"]]
            around = [kind for kind in kinds if not kind.startswith("pebble")]
            assert around == [
                *("seat_claimed", "session_started", "seat_taken_over", "seat_taken_over", "seat_taken_back"),
                "seat_resigned",
            ]


def happen(app: Flask, sitting: Sitting, clock: Clock) -> dict[int | None, dict[int, Any]]:
    """Let everything happen that can, and return what two callers saw at each of their versions."""
    seen: dict[int | None, dict[int, Any]] = {0: {}, None: {}}

    def look() -> None:
        for caller, shown in seen.items():
            now = sitting.standing(caller)
            now.pop("links")
            shown[now["version"]] = now

    def let_time_run_out() -> None:
        clock.now += MOVE_MS + MOVE_MS // 10  # with the allowance for latency
        for _ in range(3):
            timers.run_due_timers(app.extensions["context"].sessions, lambda *_: None)
            look()

    look()
    assert sitting.claim(1).status_code == 201
    look()
    assert sitting.move(2, bid(1)).status_code == 201
    look()
    let_time_run_out()
    assert sitting.call(0, "POST", "/seats/0/reclaim").status_code == 200
    look()
    assert sitting.call(2, "POST", "/resign", json={"then": "forfeit"}).status_code == 200
    look()
    return seen
