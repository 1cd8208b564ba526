"""Quotas: counted for a key or an address, shown in RateLimit headers, charged once and returned if unused."""

import re
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final

import pytest
from flask import Flask
from flask.testing import FlaskClient
from redis import Redis
from werkzeug.test import TestResponse

from games.core.registry import registered
from service.app import create_app
from service.auth import request_counter
from service.auth.api_keys import SCOPES, KeyStore
from service.auth.rate_limits import CappedSet, Quota, RateLimiter, RateLimitStatus, per_hour
from service.auth.request_counter import PARTS_OF_A_QUOTA, RequestCounter
from service.http import flask_views
from service.http.context import AppContext
from service.jobs import queues
from service.jobs.ended import settle
from service.jobs.leases import Lease
from service.jobs.store import JobStore
from service.settings import Limits, Settings
from service.store.clients import commands
from service.store.hooks import HookStore
from tests.figures import figures_of
from tests.service.kit import PEOPLE, changed
from tests.service.test_keys import code
from tests.toy import GAME
from tests.workers import jobs

SIMULATIONS: Final = "/v1/jobs/simulations"
SMALL_JOB: Final = {"game": "hoher-rat", "seats": [{"bot": {"level": "random"}}] * 2, "seed": "s"}
GAMES: Final = registered()


Serve = Callable[..., FlaskClient]


@pytest.fixture(scope="module")
def app(redis_server: str) -> Flask:
    return create_app(Settings(redis_url=redis_server, log_level="critical"), GAMES)


@pytest.fixture
def serve(app: Flask, redis_url: str) -> Iterator[Serve]:  # noqa: ARG001 -- an empty store
    """Yield a function that makes a client of a service with given limits and an empty store."""
    house: AppContext = app.extensions["context"]

    def made(**limits: int) -> FlaskClient:
        settings = replace(house.settings, limits=Limits(**limits))
        app.extensions["context"] = changed(house, settings=settings)
        return app.test_client()

    yield made
    app.extensions["context"] = house


def key(redis_client: Redis, **quotas: int) -> dict[str, str]:
    return {"Api-Key": KeyStore(redis_client).add("tests", SCOPES, **quotas)[1]}


def left(answer: TestResponse, quota: str) -> int:
    found = re.search(rf'"{quota}";r=([0-9]+);t=[0-9]+', answer.headers["RateLimit"])
    assert found
    return int(found[1])


def simulate(client: FlaskClient, games: int, headers: dict[str, str], **more: str) -> TestResponse:
    return client.post(SIMULATIONS, json={**SMALL_JOB, "games": games}, headers={**headers, **more})


def refusals(app: Flask) -> float:
    """Return the number of requests refused so far because of a quota of requests."""
    found = re.search(r'dorfplatz_quota_refusals_total\{quota="requests"\} (\S+)', figures_of(app))
    return float(found[1]) if found else 0


def test_a_key_is_told_its_quota_and_refused_when_it_is_spent(serve: Serve, app: Flask, redis_client: Redis) -> None:
    client, before = serve(key_requests_per_minute=3), refusals(app)
    mine, yours = key(redis_client), key(redis_client)
    answers = [client.get("/v1/games", headers=mine) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert [left(answer, "requests") for answer in answers] == [2, 1, 0, 0]
    policy = '"requests";q=3;w=60, "playouts";q=1000000000;qu="playouts";w=3600'
    assert {answer.headers["RateLimit-Policy"] for answer in answers} == {policy}
    assert code(answers[3]) == (429, "rate-limited")
    seconds = int(answers[3].headers["Retry-After"])
    assert 30 < seconds <= 60
    assert answers[3].headers["RateLimit"] == f'"requests";r=0;t={seconds}'
    assert client.get("/v1/games", headers=yours).status_code == 200
    assert client.get("/v1/games").status_code == 200
    for path in ("/healthz", "/readyz"):
        assert client.get(path, headers=mine).status_code == 200
    assert refusals(app) == before + 1


def test_an_open_service_without_quotas_counts_nobody_and_says_nothing(serve: Serve, redis_client: Redis) -> None:
    answer = serve().get("/v1/games")
    assert "RateLimit" not in answer.headers
    assert "RateLimit-Policy" not in answer.headers
    assert redis_client.keys() == []


def test_a_key_may_have_quotas_of_its_own_or_none(serve: Serve, redis_client: Redis) -> None:
    client = serve(key_requests_per_minute=5, key_playouts_per_hour=5)
    roomy, free = (
        key(redis_client, requests_per_minute=8),
        key(redis_client, requests_per_minute=0, playouts_per_hour=0),
    )
    assert left(client.get("/v1/games", headers=roomy), "requests") == 7
    assert "RateLimit" not in client.get("/v1/games", headers=free).headers
    assert simulate(client, 900, free).status_code == 202


def test_callers_without_a_key_are_counted_by_their_addresses(serve: Serve) -> None:
    client = serve(open_requests_per_minute=1)
    come = [
        "192.0.2.1",
        "192.0.2.2",
        "::ffff:192.0.2.1",
        "2001:db8::1",
        "2001:db8::2:1",
        "2001:db8:0:1::1",
        "192.0.2.1",
    ]
    statuses = [
        client.get(
            "/v1/games", headers={"Authorization": f"Bearer {n}"}, environ_base={"REMOTE_ADDR": address}
        ).status_code
        for n, address in enumerate(come)
    ]
    assert statuses == [200, 200, 429, 200, 429, 200, 429]


def test_a_process_takes_a_seconds_worth_of_requests_at_once(serve: Serve, redis_client: Redis) -> None:
    client = serve(open_requests_per_minute=300)
    there = {"REMOTE_ADDR": "192.0.2.55"}
    answers = [client.get("/v1/problems", environ_base=there) for _ in range(301)]
    assert [left(answer, "requests") for answer in answers] == [*range(299, -1, -1), 0]
    assert [answer.status_code for answer in answers] == [200] * 300 + [429]
    again = [client.get("/v1/problems", environ_base={"REMOTE_ADDR": "192.0.2.56"}) for _ in range(6)]
    counters = sorted(int(redis_client.get(name) or 0) for name in redis_client.scan_iter("q:requests:*"))
    assert (again[-1].status_code, counters) == (200, [10, 300])


def test_two_threads_together_use_a_quota_up_exactly(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    limiter, quota = RateLimiter(commands(redis_url)), Quota("requests", 300, 60_000)
    counter, spend_each = RequestCounter(limiter), limiter.spend_each

    def spend_beside(costs: Any) -> Any:
        monkeypatch.setattr(limiter, "spend_each", spend_each)
        assert spend(counter, quota, "somebody").granted  # the other thread, meanwhile
        return spend_each(costs)

    monkeypatch.setattr(limiter, "spend_each", spend_beside)
    assert spend(counter, quota, "somebody").left == 298
    monkeypatch.setattr(limiter, "spend_each", lambda costs: [OSError() for _ in costs])
    taken = 0
    while not isinstance(counter.spend_each([(quota, "somebody")])[0], OSError):
        taken += 1
    assert taken == 2 * (300 // PARTS_OF_A_QUOTA) - 2


def spend(counter: RequestCounter, quota: Quota, caller: str) -> RateLimitStatus:
    (found,) = counter.spend_each([(quota, caller)])
    assert isinstance(found, RateLimitStatus)
    return found


def test_requests_counted_together_are_counted_as_if_they_came_alone(redis_url: str, redis_client: Redis) -> None:
    counter = RequestCounter(RateLimiter(commands(redis_url)))
    large, small = Quota("requests", 300, 60_000), Quota("requests", 3, 60_000)
    wanted = [*[(large, "one")] * 8, *[(small, "two")] * 4, (large, "three")]
    found = [(each.granted, each.left) for each in counter.spend_each(wanted) if isinstance(each, RateLimitStatus)]
    ones, twos = [(True, left) for left in range(299, 291, -1)], [(True, 2), (True, 1), (True, 0), (False, 0)]
    assert found == [*ones, *twos, (True, 299)]
    counted = sorted(int(redis_client.get(name) or 0) for name in redis_client.scan_iter("q:requests:*"))
    assert counted == [3, 300 // PARTS_OF_A_QUOTA, 8]


def test_each_request_against_a_small_quota_is_charged_once(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    limiter, charges = RateLimiter(commands(redis_url)), list[Any]()
    counter, spend_each = RequestCounter(limiter), limiter.spend_each

    def count(costs: Any) -> Any:
        charges.extend(costs)
        return spend_each(costs)

    monkeypatch.setattr(limiter, "spend_each", count)
    quota = Quota("requests", 2, 60_000)
    assert [spend(counter, quota, "somebody").granted for _ in range(4)] == [True, True, False, False]
    assert charges == [(quota, "somebody", 1)] * 4


def test_of_many_callers_none_is_forgotten_in_its_window(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_counter, "MAX_CALLERS", 1)
    counter, quota = RequestCounter(RateLimiter(commands(redis_url))), Quota("requests", 300, 60_000)
    for caller in ("one", "two", "three"):
        assert spend(counter, quota, caller).granted
    monkeypatch.setattr(RateLimiter, "spend_each", lambda _limiter, costs: [OSError() for _ in costs])
    assert all(spend(counter, quota, caller).granted for caller in ("one", "two", "three"))


def test_a_request_that_takes_long_counts_as_many(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    client = serve(open_requests_per_minute=10, open_request_cpu_milliseconds=25)
    clock = iter(range(100))
    monkeypatch.setattr(flask_views, "thread_time", lambda: next(clock) * 0.06)  # 60 ms for each request
    answers = [client.get("/v1/problems") for _ in range(3)]
    assert [left(answer, "requests") for answer in answers] == [7, 4, 1]
    assert [answer.headers["RateLimit"].count('"requests"') for answer in answers] == [1, 1, 1]
    assert left(client.get("/v1/problems"), "requests") == 0, "what has been done is counted, whatever is left"
    assert code(client.get("/v1/problems")) == (429, "rate-limited")


def test_a_request_may_count_as_very_many(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    client, clock = serve(open_requests_per_minute=100, open_request_cpu_milliseconds=25), iter(range(100))
    monkeypatch.setattr(flask_views, "thread_time", lambda: next(clock) * 1.5)  # 1500 ms for each request
    answers = [client.get("/v1/problems") for _ in range(2)]
    assert [left(answer, "requests") for answer in answers] == [39, 0]
    assert code(client.get("/v1/problems")) == (429, "rate-limited")


def test_processor_time_is_charged_as_requests_and_never_as_playouts(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = serve(open_requests_per_minute=0, open_playouts_per_hour=100, open_request_cpu_milliseconds=25)
    clock = iter(range(100))
    monkeypatch.setattr(flask_views, "thread_time", lambda: next(clock) * 0.06)
    assert [left(simulate(client, 10, {}), "playouts") for _ in range(2)] == [90, 80]


def test_where_the_store_cannot_count_what_needs_none_is_answered_to_callers_without_a_key() -> None:
    limits = Limits(open_requests_per_minute=1)
    client = create_app(
        Settings(redis_url="redis://127.0.0.1:1/0", log_level="critical", limits=limits), {GAME.slug: GAME}
    ).test_client()
    answers = [client.get("/v1/games") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200] * 3
    assert all("RateLimit" not in answer.headers for answer in answers)
    assert code(client.post("/v1/sessions", json={"game": "pebbles", "seats": PEOPLE})) == (503, "store-away")


def test_a_job_is_charged_once_however_often_it_is_asked_for(serve: Serve, redis_client: Redis) -> None:
    client = serve(key_playouts_per_hour=100)
    mine, again = key(redis_client), {"Idempotency-Key": str(uuid.uuid4())}
    assert left(simulate(client, 30, mine, **again), "playouts") == 70
    repeated = simulate(client, 30, mine, **again)
    assert repeated.headers["Idempotency-Replayed"] == "true"
    assert "playouts" not in repeated.headers["RateLimit"]
    spent = simulate(client, 71, mine)
    assert code(spent) == (429, "playouts-spent")
    assert 0 < int(spent.headers["Retry-After"]) <= 3600
    assert left(spent, "playouts") == 70, "what is refused is not charged"
    assert left(simulate(client, 70, mine), "playouts") == 0


def test_a_request_above_the_quota_gets_no_retry_after(serve: Serve, redis_client: Redis) -> None:
    client = serve(key_playouts_per_hour=100)
    answer = simulate(client, 101, key(redis_client))
    assert code(answer) == (422, "quota-too-small")
    assert "Retry-After" not in answer.headers


def test_nothing_is_charged_where_nothing_was_begun(serve: Serve, redis_url: str, redis_client: Redis) -> None:
    client, mine = serve(key_playouts_per_hour=100, open_jobs=1), key(redis_client)
    assert left(simulate(client, 10, mine), "playouts") == 90
    assert code(simulate(client, 10, mine)) == (503, "queue-full")
    quota = per_hour(100)
    assert quota is not None
    name = f"key-{mine['Api-Key'].split('_')[1]}"
    assert RateLimiter(commands(redis_url)).standing(quota, name).left == 90


def test_a_key_gets_back_what_a_job_it_called_off_did_not_use(serve: Serve, redis_client: Redis) -> None:
    client, mine = serve(key_playouts_per_hour=100), key(redis_client)
    here = simulate(client, 40, mine).headers["Location"]
    claim = Lease.take(redis_client, here.rpartition("/")[2], f"{here.rpartition('/')[2]}-0")
    assert claim is not None
    claim.put([b"{}"], 1)
    for _ in range(2):  # neither calling off again nor the clock gives anything more
        client.delete(here, headers=mine)
        settle(redis_client, HookStore(redis_client, 1), Limits(key_playouts_per_hour=100), 0)
    assert left(simulate(client, 1, mine), "playouts") == 100 - 1 - 1


@pytest.mark.parametrize("end", ["enough", "failed"])
def test_a_key_gets_back_what_a_job_that_ended_early_did_not_use(serve: Serve, redis_client: Redis, end: str) -> None:
    client, mine = serve(key_playouts_per_hour=1_000), key(redis_client)
    until = {"until": {"half_width": 0.4, "max_games": 600}}
    job = client.post(SIMULATIONS, json={**SMALL_JOB, **until}, headers=mine).headers["Location"].rpartition("/")[2]
    if end == "enough":
        jobs.work(redis_client, queues.BULK)
    else:
        claim = Lease.take(redis_client, job)
        assert claim is not None
        claim.put([b"{}"], 1)
        failing = Lease.take(redis_client, job)
        assert failing is not None
        failing.fail("worker-lost", attempts=3)
    for _ in range(2):  # a clock that died may leave it to the next
        settle(redis_client, HookStore(redis_client, 1), Limits(key_playouts_per_hour=1_000), 0)
        queues.close(redis_client, job)
    used = 100 if end == "enough" else 1
    assert left(simulate(client, 1, mine), "playouts") == 1_000 - used - 1


def test_a_job_of_a_key_that_has_ended_waits_with_the_time_of_its_end(serve: Serve, redis_client: Redis) -> None:
    client, mine, began = serve(), key(redis_client), time.time_ns() // 1_000_000
    here = simulate(client, 1, mine).headers["Location"]
    client.delete(here, headers=mine)
    ended = redis_client.zscore(queues.ENDED_JOBS, here.rpartition("/")[2])
    assert ended is not None
    assert began <= ended <= time.time_ns() // 1_000_000


def test_anonymous_callers_get_no_refund(serve: Serve) -> None:
    client = serve(open_playouts_per_hour=100)
    here = simulate(client, 40, {}).headers["Location"]
    client.delete(here, environ_base={"REMOTE_ADDR": "192.0.2.9"})
    assert left(simulate(client, 1, {}), "playouts") == 59


def test_charges_of_an_earlier_window_are_not_refunded_now(redis_url: str) -> None:
    counters, quota = RateLimiter(commands(redis_url)), per_hour(100)
    assert quota is not None
    assert counters.spend(quota, "somebody", 50).granted
    assert not counters.give_back(quota, "somebody", 50, charged=0)
    assert not counters.give_back(quota, "nobody", 50, charged=0)
    assert counters.standing(quota, "somebody").left == 50


def test_nobody_is_given_back_more_than_the_quota(redis_url: str) -> None:
    counters, quota = RateLimiter(commands(redis_url)), per_hour(100)
    assert quota is not None
    assert not counters.give_back(quota, "nobody", 50, charged=time.time())
    assert counters.standing(quota, "nobody").left == 100
    assert counters.spend(quota, "somebody", 50).granted
    assert not counters.give_back(quota, "somebody", 51, charged=time.time())
    assert counters.give_back(quota, "somebody", 50, charged=time.time())
    assert counters.standing(quota, "somebody").left == 100


def test_each_of_several_quotas_tells_its_rest_and_end_of_window(redis_url: str, redis_client: Redis) -> None:
    limiter, quotas = RateLimiter(commands(redis_url)), [Quota("one", 5, 60_000), Quota("two", 6, 60_000)]
    for quota, seconds in zip(quotas, (20, 40), strict=True):
        assert limiter.spend(quota, "somebody", 3).seconds == 60
        redis_client.expire(quota.key("somebody"), seconds)
    charge = limiter.charge("somebody", [(quota, 1) for quota in quotas])
    assert [(status.left, status.seconds) for status in charge.statuses] == [(1, 20), (2, 40)]
    lowered = Quota("one", 2, 60_000)
    assert (limiter.standing(lowered, "somebody").left, limiter.spend(lowered, "somebody").granted) == (0, False)


def test_concurrent_charges_are_granted_up_to_the_quota(redis_url: str) -> None:
    limiter, quota = RateLimiter(commands(redis_url)), Quota("one", 5, 60_000)
    costs = [(quota, "one", 3), (quota, "other", 5), (quota, "one", 3), (quota, "one", 2), (quota, "other", 1)]
    found = [each for each in limiter.spend_each(costs) if isinstance(each, RateLimitStatus)]
    assert [(each.granted, each.left) for each in found] == [(True, 2), (True, 0), (False, 2), (True, 0), (False, 0)]


@pytest.mark.parametrize(("milliseconds", "seconds"), [(-2, 60), (0, 60), (1, 1), (1_000, 1), (1_001, 2), (59_001, 60)])
def test_a_window_ends_in_whole_seconds_never_too_early_and_one_not_begun_lasts_whole(
    redis_url: str, redis_client: Redis, monkeypatch: pytest.MonkeyPatch, milliseconds: int, seconds: int
) -> None:
    limiter, quota = RateLimiter(commands(redis_url)), Quota("one", 5, 60_000)
    assert limiter.standing(quota, "nobody").seconds == 60
    monkeypatch.setattr(limiter, "_charge", lambda **_: [0, 3, milliseconds])
    assert limiter.spend(quota, "somebody", 3).seconds == seconds
    assert not redis_client.exists(quota.key("somebody"))


def test_a_refusal_names_all_spent_quotas(redis_url: str) -> None:
    limiter, costs = RateLimiter(commands(redis_url)), [(Quota("one", 5, 60_000), 1), (Quota("two", 2, 60_000), 1)]
    sets = [CappedSet("wide", "q:wide", 9, 1, 60_000), CappedSet("narrow", "q:narrow", 1, 1, 60_000)]
    assert limiter.charge("somebody", costs, sets, ["a"]).granted
    refused = limiter.charge("somebody", costs, sets, ["b"])
    assert (refused.full, [status.granted for status in refused.statuses]) == (sets[1], [True, True])
    assert limiter.charge("somebody", costs, sets[:1], ["b"]).granted
    refused = limiter.charge("somebody", costs, sets[:1], ["c"])
    assert (refused.full, [status.granted for status in refused.statuses]) == (None, [True, False])


def test_the_record_of_a_job_names_the_key_and_no_secret(serve: Serve, redis_client: Redis) -> None:
    mine = key(redis_client)
    job = simulate(serve(), 1, mine).headers["Location"].rpartition("/")[2]
    found = JobStore(redis_client).load(job)
    assert found is not None
    assert found.owner == f"key-{mine['Api-Key'].split('_')[1]}"
    raw: Any = redis_client.hgetall(queues.record_key(job))
    assert mine["Api-Key"].encode() not in b"".join(raw.values())
