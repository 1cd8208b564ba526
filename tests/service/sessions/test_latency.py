"""Compensation for latency: bounded for each decision and in total, and measured by the service alone."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from flask import Flask

from games.core.game import Game
from games.core.table import Table
from service.api import session_operations
from service.http import pipeline
from service.http.request import Request
from service.http.response import Response
from service.sessions.clocks import grace, time_out_at
from service.sessions.play import plan_move
from service.sessions.reading import load, table_of
from service.sessions.resign import losers
from service.store.sessions import FORFEITED, RUNNING, Clock
from tests.service.kit import NOON, Room, bid, sit
from tests.service.sessions.test_clocks import PERSON, at, move
from tests.service.sessions.test_undo import take_back
from tests.toy import GAME
from tests.toy.table import BID, TAKE

MOVE_MS = 10_000
LATENCY_MS = 1_000
TOTAL_MS = 2_500
FORFEIT = Clock(move_ms=MOVE_MS, policy="forfeit", latency_ms=LATENCY_MS, total_latency_ms=TOTAL_MS)
BANK = Clock(move_ms=MOVE_MS, policy="random", bank_ms=60_000, latency_ms=LATENCY_MS, total_latency_ms=TOTAL_MS)


def begin(room: Room, clock: Clock = FORFEIT, **terms: Any) -> str:
    """Begin a session in which seat 0 is to take pebbles, the bids being in."""
    name = room.begin(PERSON, PERSON, clock=clock, **terms).session.id
    move(room, name, 0, BID + 2)
    move(room, name, 1, BID)
    return name


def test_a_decision_may_be_late_by_the_bound_and_no_more(room: Room) -> None:
    name = begin(room)
    assert time_out_at(room.stored(name), 0) == NOON + MOVE_MS, "the deadline that is shown"
    at(room, NOON + MOVE_MS + LATENCY_MS - 1)
    move(room, name, 0, TAKE + 1)
    assert room.stored(name).late == (LATENCY_MS - 1, 0)
    at(room, room.clock.now + MOVE_MS + LATENCY_MS)
    session = room.stored(name)
    assert (session.status, losers(session)) == (FORFEITED, [1])


def test_a_client_that_delays_on_purpose_gains_the_total_and_no_more(room: Room) -> None:
    name = begin(room)
    gained = list[int]()
    while load(room.services, name).status == RUNNING and len(gained) < 8:
        seat = actors(room, name)[0]
        if seat == 1:
            move(room, name, 1)
            continue
        session = load(room.services, name)
        left = grace(session, 0)
        at(room, session.opened[0] + MOVE_MS + left - 1 if left else session.opened[0] + MOVE_MS - 1)
        gained.append(room.clock.now - session.opened[0] - MOVE_MS)
        move(room, name, 0, TAKE + 1)
    assert [late for late in gained if late > 0] == [LATENCY_MS - 1, LATENCY_MS - 1, 501]
    assert sum(late for late in gained if late > 0) <= TOTAL_MS
    assert room.stored(name).late[0] <= TOTAL_MS


def actors(room: Room, name: str) -> list[int]:
    return GAME.actors(table_of(GAME, load(room.services, name)))


def test_banks_are_not_charged_for_latency_within_the_bounds(room: Room) -> None:
    name = begin(room, BANK)
    charged = []
    for _ in range(4):
        before = room.stored(name).banks[0]
        room.clock.now += MOVE_MS + 3_000
        move(room, name, 0, TAKE + 1)
        move(room, name, 1, TAKE + 1)
        charged.append(before - room.stored(name).banks[0])
        if load(room.services, name).status != RUNNING:
            break
    assert charged[:3] == [2_000, 2_000, 2_500]


def test_a_wait_in_the_service_is_not_charged(room: Room) -> None:
    name = begin(room, BANK)
    room.clock.now += MOVE_MS + 8_000
    session = load(room.services, name)

    def decide(_game: Game, _table: Table) -> int:
        return TAKE + 1

    planned = plan_move(room.services, session, 0, session.versions[0], decide, queued_ms=5_000)
    room.services.store.write(session, planned.planned.change, 0, "")
    move(room, name, 1, TAKE + 1)
    session = room.stored(name)
    assert (session.banks[0], session.late[0]) == (60_000 - 3_000 + LATENCY_MS, LATENCY_MS)


def test_moves_of_the_service_are_not_compensated(room: Room) -> None:
    name = begin(room, Clock(move_ms=MOVE_MS, policy="random", latency_ms=LATENCY_MS, total_latency_ms=TOTAL_MS))
    at(room, NOON + MOVE_MS + LATENCY_MS)
    assert room.stored(name).late == (0, 0)


def test_all_who_miss_the_same_deadline_lose_together_whatever_they_have_left(room: Room) -> None:
    name = room.begin(PERSON, PERSON, PERSON, clock=FORFEIT).session.id
    session = load(room.services, name)
    used = "2500 0 0"
    client = room.services.store.client
    (key,) = client.scan_iter("{s:*}:" + name)
    client.hset(key, "late", used)
    move(room, name, 2)
    at(room, session.opened[0] + MOVE_MS + LATENCY_MS)
    assert losers(load(room.services, name)) == [0, 1]


def test_an_undo_restores_the_allowance(room: Room) -> None:
    name = begin(room, BANK, undo="consent")
    room.clock.now += MOVE_MS + 700
    move(room, name, 0, TAKE + 1)
    assert room.stored(name).late == (700, 0)
    take_back(room, name, 0, 1)
    assert room.stored(name).late == (0, 0)


def test_sessions_of_earlier_services_have_no_allowance(room: Room) -> None:
    name = begin(room, Clock(move_ms=MOVE_MS, policy="forfeit"))
    assert room.stored(name).late == ()
    assert room.due.time(name) == NOON + MOVE_MS


def test_the_server_measures_the_wait_from_the_complete_arrival(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    sitting = sit(app, clock={"move_ms": 60_000, "policy": "random"})
    waits = []

    def planned(*args: Any, queued_ms: int = 0, **kwargs: Any) -> Any:
        waits.append(queued_ms)
        return plan_move(*args, queued_ms=queued_ms, **kwargs)

    monkeypatch.setattr(session_operations, "plan_move", planned)
    operation = next(each for each in pipeline.operations(app) if each.endpoint.endswith("make_move_in_session"))
    now = time.monotonic_ns() // 1_000_000
    monkeypatch.setattr(time, "monotonic_ns", lambda: now * 1_000_000)
    for seat, waited in ((0, 2), (1, 3_000)):
        headers = {"authorization": sitting.token(seat)["Authorization"], "if-match": "*", "host": "x"}
        headers["content-type"] = "application/json"
        body = json.dumps({"move": bid(seat)}).encode()
        request = Request("POST", f"{sitting.here}/moves", headers=headers, body=body, arrived_ms=now - waited)
        (answer,) = pipeline.answer(operation, [request])
        assert isinstance(answer, Response)
        assert answer.status == 201, answer.body
    assert waits == [0, 3_000]
