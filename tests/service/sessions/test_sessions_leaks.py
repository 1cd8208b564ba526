"""Nothing of one seat stands in another's answers: worlds that differ in hidden things alone answer alike, to the byte.

Clock, ids and tokens are frozen, so that whole answers (bodies, headers, lengths) and log lines can be compared.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import msgspec
import pytest
import redis
from flask import Flask

from games.core.dice import FastDice
from games.core.game import Game
from games.core.registry import registered
from games.core.table import SPECTATOR
from service.sessions.play import make_move
from service.sessions.reading import table_of
from service.sessions.turns import STANDING_MS
from service.store import keys
from service.store.sessions import Session
from service.telemetry import logs
from service.wire.sessions import serialize_session
from tests.service.kit import PEOPLE, Clock, Sitting, bid, freeze, sit
from tests.toy import GAME
from workers.sessions import timers

FROZEN = {"Request-Id": "frozen", "traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}
EVERY_GAME = {GAME.slug: GAME, **registered()}
TABLES = [
    pytest.param(slug, seats, marks=() if seats == game.seat_numbers[0] else pytest.mark.thorough)
    for slug, game in EVERY_GAME.items()
    for seats in sorted({*game.seat_numbers[:1], *game.seat_numbers[-1:]})
]
"""Every game at its smallest and at its largest table."""

LOOKS = 2
"""Number of a game's moments at which a viewer is compared in several worlds."""


@pytest.fixture
def frozen(every_game: Flask) -> Iterator[Flask]:
    """Yield an application with every game. Its clock stands still."""
    with freeze(every_game, Clock()):
        yield every_game


@pytest.fixture
def lines(capsys: pytest.CaptureFixture[str]) -> Iterator[Callable[[], list[dict[str, Any]]]]:
    logs.configure("info")

    def read() -> list[dict[str, Any]]:
        logged = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
        return [{key: line[key] for key in line if key not in {"timestamp", "milliseconds"}} for line in logged]

    yield read
    logs.configure("critical")


def collect_responses(sitting: Sitting, caller: int | None, more: list[tuple[str, str, Any, str]] = []) -> list[Any]:  # noqa: B006
    """Return everything that a caller can receive at a session: whole responses to reads, and to the given requests."""
    asked: list[tuple[str, str, Any, str]] = [
        ("GET", "", None, "en"),
        ("GET", "?expand=legal_moves", None, "de"),
        ("GET", "/legal-moves", None, "en"),
        ("GET", "/history", None, "de"),
    ]
    found: list[Any] = []
    for method, part, body, extra in asked + more:
        named = {"Accept-Language": extra} if method == "GET" else {"If-Match": extra}
        sent = {} if body is None else {"json": body}
        answer = sitting.call(caller, method, part, headers={**FROZEN, **named}, **sent)
        found.append([method, part, body, answer.status_code, sorted(answer.headers.items()), answer.data])
    return found


def test_a_sealed_answer_cannot_be_noticed_by_anybody_else(
    frozen: Flask, redis_client: redis.Redis, lines: Callable[[], list[dict[str, Any]]]
) -> None:
    more: list[tuple[str, str, Any, str]] = [
        ("POST", "/moves", {"move": bid(1)}, '"9"'),
        ("POST", "/moves", {"move": {"kind": "take_pebbles", "amount": 1}}, '"1"'),
        ("POST", "/moves", {"move": bid(1)}, '"1"'),
        ("POST", "/moves", {"move": bid(1)}, '"2"'),
    ]
    worlds: list[Any] = []
    for answered in (None, 0, 1, 2):
        redis_client.flushall()
        with freeze(frozen, Clock()):
            sitting = sit(frozen, *PEOPLE, {"kind": "human"}, clock={"move_ms": 60_000, "policy": "random"})
            if answered is not None:
                assert sitting.move(1, bid(answered), 1).status_code == 201
            lines()
            spectator, other = collect_responses(sitting, None), collect_responses(sitting, 2)
            worlds.append(
                [spectator, other, collect_responses(sitting, 0, more), collect_responses(sitting, None), lines()]
            )
    statuses = [answer[3] for answer in worlds[0][2] if answer[0] == "POST"]
    assert statuses == [412, 422, 201, 409]
    assert len(worlds[0][4]) == 4 * 4 + 4
    assert all(world == worlds[0] for world in worlds)


def test_others_cannot_notice_that_or_how_a_sealed_answer_was_given(frozen: Flask, redis_client: redis.Redis) -> None:
    worlds: list[Any] = []
    for given in ("not at all", "by hand", "by a standing answer"):
        redis_client.flushall()
        with freeze(frozen, Clock()):
            sitting = sit(frozen, *PEOPLE, {"kind": "human"}, clock={"move_ms": 60_000, "policy": "random"})
            services = frozen.extensions["context"].sessions
            if given == "by a standing answer":
                left = sitting.call(1, "PUT", "/standing-answers", json={"answers": ["bid_nothing"]})
                assert left.status_code == 200
            before = [collect_responses(sitting, caller) for caller in (0, 2, None)]
            services.now.sleep(STANDING_MS[1] / 1000)
            if given == "by hand":
                assert sitting.move(1, bid(2), 1).status_code == 201
            timers.run_due_timers(services, lambda *_: None)
            answered = services.store.load(sitting.made["id"]).revision > 1
            assert answered == (given != "not at all")
            worlds.append([before, [collect_responses(sitting, caller) for caller in (0, 2, None)]])
    assert all(world == worlds[0] for world in worlds)


@pytest.mark.parametrize(("slug", "seats"), TABLES)
def test_deadlines_move_by_ones_knowledge(frozen: Flask, redis_client: redis.Redis, slug: str, seats: int) -> None:
    assert redis_client.dbsize() == 0
    game = EVERY_GAME[slug]
    clock = {"move_ms": 600_000, "policy": "random"}
    people = ({"kind": "human"} for _ in range(seats))
    sitting = sit(frozen, *people, game=slug, seed="deadlines", clock=clock)
    services = frozen.extensions["context"].sessions
    choice, shown = Random(slug), dict[int, Any]()
    for _ in range(60):
        session = services.store.load(sitting.made["id"])
        table = table_of(game, session)
        for viewer in (*range(seats), SPECTATOR):
            told = msgspec.to_builtins(serialize_session(game, session, table, viewer, "en"))
            seen = told["version"], told.get("deadlines")
            if shown.get(viewer, seen)[0] == seen[0]:
                assert shown.get(viewer, seen) == seen
            shown[viewer] = seen
            assert [deadline["seat"] for deadline in told["deadlines"]] == told["actors"]
        actors = game.actors(table)
        if not actors:
            break
        services.now.sleep(choice.random())
        seat = choice.choice(actors)
        code = choice.choice(game.legal(table, seat))
        make_move(services, session, seat, session.versions[seat], "", lambda *_, code=code: code)


@pytest.mark.parametrize("slug", EVERY_GAME)
def test_a_seat_hears_the_same_for_all_hands(frozen: Flask, redis_client: redis.Redis, slug: str) -> None:
    """Compare moments of a whole game at the smallest table; conformance tests compare the largest."""
    game = EVERY_GAME[slug]
    seats = game.seat_numbers[0]
    sitting = sit(frozen, *({"kind": "human"} for _ in range(seats)), game=slug, seed="leaks")
    services = frozen.extensions["context"].sessions
    choice, looks = Random(slug), Counter[int]()
    for _ in range(80):
        session = services.store.load(sitting.made["id"])
        actors = game.actors(table_of(game, session))
        if not actors or looks.total() == LOOKS * (seats + 1):
            break
        for viewer in (*range(seats), SPECTATOR):
            others = {dealt_anew(game, session, viewer, seed) for seed in range(2)} - {session.record}
            if not others or looks[viewer] == LOOKS:
                continue
            looks[viewer] += 1
            caller = None if viewer == SPECTATOR else viewer
            truth = collect_responses(sitting, caller, attempts(sitting, caller, session.versions[viewer]))
            for record in sorted(others):
                redis_client.hset(keys.session(session.id), "record", record)
                assert collect_responses(sitting, caller, attempts(sitting, caller, session.versions[viewer])) == truth
            redis_client.hset(keys.session(session.id), "record", session.record)
        seat = choice.choice(actors)
        assert sitting.move(seat, choice.choice(sitting.moves(seat))["move"]).status_code == 201
    assert looks.total() >= seats


def dealt_anew(game: Game, session: Session, viewer: int, seed: int) -> bytes:
    """Return a session's record with other secrets, indistinguishable for the viewer."""
    other = table_of(game, session)
    other.redeal(viewer, FastDice(seed))
    return msgspec.json.encode(game.write(other))


def attempts(sitting: Sitting, caller: int | None, version: int) -> list[tuple[str, str, Any, str]]:
    """Return moves that are refused: of a spectator, out of turn, outdated, and by every rule."""
    tag = f'"{version}"'
    legal = set() if caller is None else {move["code"] for move in sitting.moves(caller)}
    codes = [code for code in range(0, 4000, 97) if code not in legal][:12]
    late: list[tuple[str, str, Any, str]] = [("POST", "/moves", {"move": {"code": code}}, '"0"') for code in legal]
    return [("POST", "/moves", {"move": {"code": code}}, tag) for code in codes] + late[:3]
