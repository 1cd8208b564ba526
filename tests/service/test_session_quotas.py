"""Quotas of sessions: created, unfinished, stored, and played by bots; counted once and returned."""

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final
from uuid import uuid4

import msgspec
import pytest
from flask import Flask
from flask.testing import FlaskClient
from redis import Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from werkzeug.test import TestResponse

from games.core.levels import DECISIONS_PER_GAME
from games.core.registry import registered
from service.app import create_app
from service.auth.api_keys import KEY_OWNER
from service.auth.session_ledger import FOUNDING_MS, Account, SessionLedger
from service.http.context import AppContext
from service.jobs.cost import bot_cost
from service.sessions.charging import FREE_LEVEL
from service.sessions.reading import table_of
from service.sessions.services import SessionServices
from service.settings import DAY_MS, HOUR_MS, Limits, Settings
from service.store import keys
from service.store.bot_decisions import BotDecisionCache
from service.store.session_store import SessionStore
from tests.launch.kit import PATIENCE_SECONDS
from tests.service.kit import PEOPLE, Sitting, bid, changed, sit
from tests.service.test_keys import code
from tests.service.test_quotas import key, left
from tests.toy import GAME
from workers.sessions import bot_turns, timers

BATCH: Final = "/v1/sessions:batch"
ONE: Final = {"game": "pebbles", "seats": PEOPLE}
MEDIUM: Final = {"kind": "bot", "bot": {"level": "medium"}}
COST: Final = bot_cost(GAME, "medium")
LARGE_QUOTA: Final = 10 * COST

Serve = Callable[..., Flask]


@pytest.fixture(scope="module")
def made(redis_server: str) -> Flask:
    settings = Settings(redis_url=redis_server, log_level="critical")
    return create_app(settings, {GAME.slug: GAME, **registered()})


@pytest.fixture
def serve(made: Flask, redis_url: str) -> Iterator[Serve]:  # noqa: ARG001 -- an empty store
    """Yield a function that sets the limits of the application; the store is empty."""
    house: AppContext = made.extensions["context"]

    def serving(**bounds: int) -> Flask:
        settings = replace(house.settings, limits=Limits(**bounds))
        services = SessionServices.of(house.redis, settings, house.sessions.games)
        made.extensions["context"] = changed(house, settings=settings, sessions=services)
        return made

    yield serving
    made.extensions["context"] = house


def create_batch(client: FlaskClient, *members: dict[str, Any], **headers: str) -> TestResponse:
    return client.post(BATCH, json={"sessions": members}, headers=headers)


def playouts(client: FlaskClient) -> int:
    """Return the caller's remaining playouts, from the next creation."""
    return left(client.post("/v1/sessions", json={"game": "pebbles", "seats": [MEDIUM, MEDIUM]}), "playouts") + 2 * COST


def test_a_batch_counts_its_sessions(serve: Serve) -> None:
    client = serve(open_sessions_per_hour=5).test_client()
    first = create_batch(client, ONE, ONE, ONE)
    assert (first.status_code, left(first, "sessions")) == (201, 2)
    assert '"sessions";q=5;qu="sessions";w=3600' in first.headers["RateLimit-Policy"]
    spent = create_batch(client, ONE, ONE, ONE)
    assert code(spent) == (429, "sessions-spent")
    assert 0 < int(spent.headers["Retry-After"]) <= 3600
    assert left(spent, "sessions") == 2, "what is refused is not charged"
    assert create_batch(client, *[ONE] * 6).status_code == 422, "more than the whole quota is never taken"
    assert left(create_batch(client, ONE, ONE), "sessions") == 0
    assert client.post("/v1/sessions", json=ONE).status_code == 429
    assert client.post("/v1/sessions", json=ONE, environ_base={"REMOTE_ADDR": "192.0.2.1"}).status_code == 201


def test_a_key_founds_as_many_sessions_as_it_likes(serve: Serve, redis_client: Redis) -> None:
    client = serve(open_sessions_per_hour=1, open_unfinished_sessions=1, open_stored_sessions=1).test_client()
    assert create_batch(client, ONE, ONE, ONE, **key(redis_client)).status_code == 201


def test_bots_in_sessions_cost_what_they_cost_in_simulations(serve: Serve) -> None:
    client = serve(open_playouts_per_hour=5_000).test_client()
    seats = [{"kind": "bot", "bot": {"level": "expert"}}] * 6
    table = {"game": "gartenzwerge", "seats": seats}
    simulated = client.post(
        "/v1/jobs/simulations", json={**table, "seats": [{"bot": {"level": "expert"}}] * 6, "games": 1}
    )
    refused = create_batch(client, *[table] * 10)
    assert code(simulated) == code(refused) == (422, "quota-too-small")
    costs = [re.findall(r"cost ([0-9,]+) playouts", each.text)[0] for each in (simulated, refused)]
    one, ten = (int(cost.replace(",", "")) for cost in costs)
    assert ten == 10 * (one - 1), "a simulation counts one for the game"


def test_bots_of_a_key_are_charged_to_it(serve: Serve, redis_client: Redis) -> None:
    client, mine = serve(key_playouts_per_hour=3 * COST).test_client(), key(redis_client)
    table = {"game": "pebbles", "seats": [*PEOPLE[:1], MEDIUM]}
    assert left(create_batch(client, table, table, **mine), "playouts") == COST
    assert code(create_batch(client, table, table, **mine)) == (429, "playouts-spent")


@pytest.mark.parametrize("lost", ["nothing", "the answer", "the answer and the receipt"])
def test_a_repeated_founding_counts_once(serve: Serve, redis_client: Redis, lost: str) -> None:
    client, again = serve(open_sessions_per_hour=9, open_playouts_per_hour=LARGE_QUOTA).test_client(), str(uuid4())
    table = {"game": "pebbles", "seats": [*PEOPLE[:1], MEDIUM]}
    first = create_batch(client, table, table, Idempotency_Key=again)
    assert (left(first, "sessions"), left(first, "playouts")) == (7, LARGE_QUOTA - 2 * COST)
    for pattern in {"nothing": [], "the answer": ["o:*"]}.get(lost, ["o:*", "q:founded:*", "q:bot:*"]):
        redis_client.delete(*redis_client.scan_iter(pattern))
    repeated = create_batch(client, table, table, Idempotency_Key=again)
    assert repeated.headers["Idempotency-Replayed"] == "true"
    assert repeated.json == first.json
    next_one = create_batch(client, table)
    assert (left(next_one, "sessions"), left(next_one, "playouts")) == (6, LARGE_QUOTA - 3 * COST)


def test_answers_are_kept_as_far_as_the_quota_goes_and_repeated_all_the_same(serve: Serve, redis_client: Redis) -> None:
    client, names = serve(open_answer_bytes_per_hour=2_000).test_client(), [str(uuid4()) for _ in range(3)]
    first = [create_batch(client, ONE, Idempotency_Key=name) for name in names]
    assert {answer.status_code for answer in first} == {201}
    assert len(list(redis_client.scan_iter("o:*"))) == 1
    repeated = [create_batch(client, ONE, Idempotency_Key=name) for name in names]
    assert [answer.json for answer in repeated] == [answer.json for answer in first]
    assert {answer.headers["Idempotency-Replayed"] for answer in repeated} == {"true"}


def test_a_failed_founding_is_given_back(serve: Serve, redis_client: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    app = serve(open_sessions_per_hour=9, open_playouts_per_hour=LARGE_QUOTA, open_unfinished_sessions=9)
    table = {"game": "pebbles", "seats": [*PEOPLE[:1], MEDIUM]}

    def refuse(*_: object) -> bool:
        raise RedisConnectionError

    with monkeypatch.context() as patched:
        patched.setattr(SessionStore, "create", refuse)
        assert create_batch(app.test_client(), table, table).status_code == 503
    kept = {name: redis_client.get(name) for name in redis_client.scan_iter("q:*")}
    assert set(kept.values()) == {b"0"}, "counters alone are left, and nothing is counted"
    assert left(create_batch(app.test_client(), table), "sessions") == 8


def test_a_founding_is_given_back_in_the_window_of_its_charge(serve: Serve) -> None:
    house: AppContext = serve(open_sessions_per_hour=9).extensions["context"]
    assert house.sessions.ledger is not None
    account = Account.of("somebody", None, house.settings.limits)
    charge = house.sessions.ledger.found(account, {"a session": {}})
    assert charge.made == pytest.approx(time.time(), abs=PATIENCE_SECONDS)


def test_an_address_has_so_many_sessions_that_have_not_ended(serve: Serve) -> None:
    app = serve(open_unfinished_sessions=2, open_sessions_per_hour=9)
    one, two = sit(app), sit(app)
    refused = app.test_client().post("/v1/sessions", json=ONE)
    assert code(refused) == (429, "too-many-sessions")
    assert (refused.headers["Retry-After"], "2" in (refused.json or {})["detail"]) == ("60", True)
    assert two.call("owner", "DELETE").status_code == 204
    again = app.test_client().post("/v1/sessions", json=ONE)
    assert (again.status_code, left(again, "sessions")) == (201, 6)
    assert one.look(0).status_code == 200
    assert code(app.test_client().post("/v1/sessions", json=ONE)) == (429, "too-many-sessions")


def due(client: Redis, stored: bytes, sitting: Sitting) -> float:
    """Return the seconds until a session that is stored for an account is looked up again."""
    return (client.zscore(stored, sitting.made["id"]) or 0) / 1000 - time.time()


def test_an_address_has_so_many_sessions_stored_ended_ones_included(serve: Serve, redis_client: Redis) -> None:
    app = serve(open_stored_sessions=2)
    one, two = sit(app), sit(app)
    for sitting in (one, two):
        sitting.call("owner", "DELETE")
    (stored,) = redis_client.scan_iter("q:stored:*")
    for _ in range(2):  # as charged, and as looked up since
        assert due(redis_client, stored, one) == pytest.approx(Limits().unmoved_session_hours * 3600, abs=60)
        assert code(app.test_client().post("/v1/sessions", json=ONE)) == (429, "too-many-stored-sessions")
    redis_client.zadd(stored, {one.made["id"]: 1, two.made["id"]: 1})  # a day later
    redis_client.delete(keys.session(one.made["id"]))
    assert app.test_client().post("/v1/sessions", json=ONE).status_code == 201
    again = due(redis_client, stored, two)
    assert again == pytest.approx(redis_client.ttl(keys.session(two.made["id"])), abs=60), "it may be gone then"
    assert code(app.test_client().post("/v1/sessions", json=ONE)) == (429, "too-many-stored-sessions")


def test_a_charge_without_a_session_is_unfinished_for_a_minute(serve: Serve, redis_client: Redis) -> None:
    app = serve(open_unfinished_sessions=1)
    redis_client.delete(keys.session(sit(app).made["id"]))
    assert code(app.test_client().post("/v1/sessions", json=ONE)) == (429, "too-many-sessions")
    (unfinished,) = redis_client.scan_iter("q:unfinished:*")
    ((member, _),) = redis_client.zscan_iter(unfinished)
    redis_client.zincrby(unfinished, -FOUNDING_MS, member)
    assert app.test_client().post("/v1/sessions", json=ONE).status_code == 201


def test_no_store_has_the_address_of_a_caller(serve: Serve, redis_client: Redis) -> None:
    app = serve(
        open_requests_per_minute=9, open_playouts_per_hour=LARGE_QUOTA, open_sessions_per_hour=9, open_stored_sessions=9
    )
    seats = [*PEOPLE[:1], MEDIUM]
    answer = app.test_client().post(
        "/v1/sessions", json={**ONE, "seats": seats}, environ_base={"REMOTE_ADDR": "192.0.2.77"}
    )
    assert answer.status_code == 201
    stored = b" ".join(name + (redis_client.dump(name) or b"") for name in redis_client.scan_iter())
    assert b"address-" in stored
    assert b"192.0.2.77" not in stored


@pytest.mark.parametrize(("quota", "level"), [(COST, FREE_LEVEL), (0, "medium")])
def test_a_bot_that_stands_in_is_charged_to_the_founder(serve: Serve, quota: int, level: str) -> None:
    app = serve(open_playouts_per_hour=quota)
    one, other = sit(app), sit(app)
    body = {"then": "bot", "bot": {"level": "medium"}}
    for sitting, stands_in in ((one, "medium"), (other, level)):
        left = sitting.call(0, "POST", "/resign", json=body, environ_base={"REMOTE_ADDR": "192.0.2.9"})
        assert (left.status_code, bots(sitting)) == (200, [stands_in])


def test_repeated_leaving_costs_the_owner_one_bot(serve: Serve) -> None:
    app = serve(open_playouts_per_hour=LARGE_QUOTA)
    sitting = sit(app)
    for level in ("easy", "medium", "easy", "medium"):
        left_to = {"then": "bot", "bot": {"level": level}}
        assert sitting.call(0, "POST", "/resign", json=left_to).status_code == 200
        assert sitting.call(0, "POST", "/seats/0/reclaim").status_code == 200
    assert playouts(app.test_client()) == LARGE_QUOTA - COST, "the dearest of them"


def test_a_bot_that_was_paid_stands_in_again_although_the_quota_was_lowered(serve: Serve) -> None:
    sitting = sit(serve(open_playouts_per_hour=COST))
    for quota in (COST, COST - 1):
        serve(open_playouts_per_hour=quota)
        body = {"then": "bot", "bot": {"level": "medium"}}
        assert sitting.call(0, "POST", "/resign", json=body).status_code == 200
        assert bots(sitting) == ["medium"]
        assert sitting.call(0, "POST", "/seats/0/reclaim").status_code == 200


def test_a_clock_lets_a_bot_stand_in_that_the_founder_can_afford(serve: Serve) -> None:
    app = serve(open_playouts_per_hour=2 * COST)
    clock = {"move_ms": 1_000, "policy": "bot", "bot": {"level": "expert"}}
    sitting = sit(app, clock=clock)
    house: AppContext = app.extensions["context"]
    later = replace(house.sessions, now=lambda: house.sessions.now() + 60_000)
    timers.run_due_timers(later, lambda *_: None)
    assert set(bots(sitting)) == {FREE_LEVEL}


def test_unused_playouts_of_bots_are_refunded_at_the_end(serve: Serve) -> None:
    app = serve(open_playouts_per_hour=LARGE_QUOTA)
    sitting = sit(app, *PEOPLE[:1], MEDIUM, MEDIUM)
    used = 2 * (COST // DECISIONS_PER_GAME)
    for _ in range(2):  # ending it again gives nothing more
        assert sitting.call("owner", "DELETE").status_code == 204
    assert playouts(app.test_client()) == LARGE_QUOTA - used, "a decision of each may have been thought of"


def test_a_key_that_was_revoked_is_charged_nothing_and_given_nothing_back(serve: Serve, redis_client: Redis) -> None:
    app = serve(open_playouts_per_hour=LARGE_QUOTA)
    house: AppContext = app.extensions["context"]
    ledger = SessionLedger(redis_client, house.settings.limits, house.sessions.store)
    gone = f"{KEY_OWNER}{uuid4()}"
    assert ledger.stand_in(gone, "a-session", 0, COST)
    assert not redis_client.exists("q:bot:a-session/0")
    redis_client.set("q:bot:a-session/0", COST)
    ledger.settle(gone, "a-session", [0], dict)
    assert not redis_client.exists("q:bot:a-session/0")


def test_moves_are_counted_only_where_a_bot_was_paid_for(serve: Serve, redis_client: Redis) -> None:
    app = serve(open_playouts_per_hour=LARGE_QUOTA)
    house: AppContext = app.extensions["context"]
    ledger = SessionLedger(redis_client, house.settings.limits, house.sessions.store)
    ledger.settle("address-1", "a-session", [0, 1], lambda: pytest.fail("nothing was paid"))


def bots(sitting: Sitting) -> list[str]:
    return [seat["bot"]["level"] for seat in sitting.standing(None)["seats"] if seat.get("bot")]


def lives(redis_client: Redis, sitting: Sitting) -> float:
    session, log = (
        redis_client.pttl(name) for name in (keys.session(sitting.made["id"]), keys.log(sitting.made["id"]))
    )
    assert abs(session - log) < 1_000
    return round(session / HOUR_MS)


def test_a_session_in_which_nobody_has_moved_expires_after_a_day(serve: Serve, redis_client: Redis) -> None:
    app = serve(unmoved_session_hours=24, session_days=30)
    sitting, waiting = sit(app), sit(app, *PEOPLE[:1], {"kind": "open"})
    assert lives(redis_client, sitting) == lives(redis_client, waiting) == 24
    invite = {"code": waiting.made["seats"][1]["invite"]}
    assert waiting.call(None, "POST", "/seats/1/claim", json=invite).status_code == 201
    assert lives(redis_client, waiting) == 24
    assert sitting.move(0, bid(1)).status_code == 201
    assert lives(redis_client, sitting) == 30 * 24
    sitting.call(1, "POST", "/resign", json={"then": "bot", "bot": {"level": "random"}})
    assert lives(redis_client, sitting) == 30 * 24, "what is no move shortens no life"


def test_a_persons_time_for_a_move_exceeds_the_life_without_one(serve: Serve, redis_client: Redis) -> None:
    app = serve(unmoved_session_hours=24, session_days=30)
    sitting = sit(app, clock={"move_ms": 3 * DAY_MS, "policy": "forfeit"})
    assert lives(redis_client, sitting) == 4 * 24


def test_bots_keep_a_session_in_which_they_are_alone(serve: Serve, redis_client: Redis) -> None:
    app = serve(unmoved_session_hours=24, session_days=30)
    bot = {"kind": "bot", "bot": {"level": "random"}}
    sitting, alone = sit(app, *PEOPLE[:1], bot), sit(app, bot, bot)
    house: AppContext = app.extensions["context"]
    for each, hours in ((sitting, 24), (alone, 30 * 24)):
        session = house.sessions.store.load(each.made["id"])
        assert session is not None
        chosen = bot_turns.any_move(GAME, table_of(GAME, session), session, 1)
        assert bot_turns.publish(house.sessions, BotDecisionCache(redis_client), session, 1, chosen)
        assert lives(redis_client, each) == hours


def test_a_viewer_is_told_an_expiry_by_what_it_learnt_last(serve: Serve) -> None:
    app = serve(unmoved_session_hours=24, session_days=30)
    store = app.extensions["context"].sessions.store
    session = store.load(sit(app).made["id"])
    began = session.charter.began
    learnt = msgspec.structs.replace(session, moved=(began + 5_000, 0, began))
    for kept, life in ((False, DAY_MS), (True, 30 * DAY_MS)):
        seen = msgspec.structs.replace(learnt, kept=kept)
        assert [store.expires(seen, viewer) - began for viewer in range(3)] == [life + 5_000, life, life]


def test_a_session_of_an_earlier_release_stays_as_long_as_it_did(serve: Serve, redis_client: Redis) -> None:
    sitting = sit(serve(unmoved_session_hours=24, session_days=30))
    for name in (keys.session(sitting.made["id"]), keys.log(sitting.made["id"])):
        redis_client.pexpire(name, 29 * DAY_MS)
    sitting.call(1, "POST", "/resign", json={"then": "bot", "bot": {"level": "random"}})
    assert lives(redis_client, sitting) == 30 * 24
