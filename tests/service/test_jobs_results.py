"""Batches, and the parts of jobs: lines, progress and charts; the workers' own code does the work."""

import json
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from itertools import islice, pairwise
from typing import Any, cast

import pytest
from flask.testing import FlaskClient
from redis import Redis

from games.core.registry import registered
from service.auth.api_keys import SCOPES, KeyStore
from service.jobs import queues
from service.jobs.aggregate import count
from service.jobs.follow import FIRST_POLL_SECONDS, POLL_SECONDS, JobWatch
from service.jobs.leases import Lease, Portion, unpacked
from service.jobs.store import Job, JobStore
from service.waiting import Wait
from tests.service.charts import check_layout, check_within, watched
from tests.service.kit import application
from tests.toy import GAME as PEBBLES
from tests.workers import jobs
from workers import positions
from workers.simulate.batch import SimulationPlan, SimulationWork

GAMES = {**registered(), PEBBLES.slug: PEBBLES}
BATCH, SIMULATIONS = "/v1/jobs/searches:batch", "/v1/jobs/simulations"
SEARCH = {"game": "hoher-rat", "budget": {"iterations": 30}, "seed": "stone", "top": 1}
BOTS = [{"bot": {"level": "greedy"}}, {"bot": {"level": "random"}}]
LINES = {"Accept": "application/x-ndjson"}
MAX_HEARTBEATS = 10_000_000


@pytest.fixture
def seated(client: FlaskClient) -> dict[str, Any]:
    """Return a snapshot of Der Hohe Rat with the seat that has a decision to make."""
    made: Any = client.post("/v1/games/hoher-rat/snapshots", json={"seat_count": 2, "seed": "s"}).json
    return {"snapshot": made["snapshot"], "seat": made["actors"][0]}


def batch(client: FlaskClient, *positions: Any, **more: Any) -> Any:
    answer = client.post(BATCH, json={**SEARCH, "positions": list(positions), **more})
    assert answer.status_code == 202, answer.text
    return answer.json


def simulation(client: FlaskClient, **more: Any) -> Any:
    body = {"game": "hoher-rat", "seats": BOTS, "seed": "owls", "games": 6, **more}
    answer = client.post(SIMULATIONS, json=body)
    assert answer.status_code == 202, answer.text
    return answer.json


def lines(client: FlaskClient, path: str) -> list[Any]:
    answer = client.get(path)
    assert (answer.status_code, answer.mimetype) == (200, "application/x-ndjson"), answer.text
    return [json.loads(line) for line in answer.text.splitlines()]


def here(job: Any, part: str = "") -> str:
    return f"/v1/jobs/{job['id']}{part}"


def test_batches_find_what_searches_find(client: FlaskClient, redis_client: Redis, seated: dict[str, Any]) -> None:
    view = client.post("/v1/games/hoher-rat/views", json=seated).json
    job = batch(client, {"id": "first", **seated}, {"view": view})
    assert (job["kind"], job["progress"], job["cost"]) == (
        "search_batch",
        {"done": 0, "total": 2},
        {"playouts": 60},
    )
    jobs.work(redis_client, queues.BULK)
    found: Any = client.get(here(job)).json
    assert found["result"] == {"kind": "search_batch", "positions": 2, "refused": 0, "iterations": 60}
    told = lines(client, here(job, "/results"))
    assert [(line["position"], line.get("id")) for line in told] == [(0, "first"), (1, None)]
    for number, line in enumerate(told):
        alone: Any = client.post("/v1/jobs/searches", json={**SEARCH, **seated, "seed": f"stone/{number}"}).json
        jobs.search_all(redis_client)
        assert line["result"] == client.get(here(alone)).json["result"]  # type: ignore[index]


def test_a_position_at_which_a_search_breaks_has_a_problem_of_its_own_and_harms_no_other(
    client: FlaskClient, redis_client: Redis, seated: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    search, asked = positions.search_position, list[str]()

    def broken(payload: Any, view: Any, seed: str, tick: Any) -> Any:
        asked.append(seed)
        return search(payload, view, seed, tick) if len(asked) > 1 else 1 // 0

    monkeypatch.setattr(positions, "search_position", broken)
    job = batch(client, seated, {"id": "second", **seated})
    jobs.work(redis_client, queues.BULK)
    first, second = lines(client, here(job, "/results"))
    assert (first["position"], first["problem"]["code"]) == (0, "internal-error")
    assert (second["position"], second["id"], "result" in second) == (1, "second", True)


def test_a_bad_position_harms_no_other(client: FlaskClient, redis_client: Redis, seated: dict[str, Any]) -> None:
    view: Any = client.post("/v1/games/hoher-rat/views", json=seated).json
    spectator = client.post("/v1/games/hoher-rat/views", json={**seated, "seat": None}).json
    hand = view["councillors"][view["seat"]]["known"]
    broken = json.loads(json.dumps(view))
    broken["councillors"][view["seat"]]["known"][0] = hand[1]
    job = batch(
        client,
        {"id": "idle", **seated, "seat": 1 - seated["seat"]},
        {"view": broken},
        {"view": {"game": "hoher-rat"}},
        {"view": spectator},
        {"view": {**view, "ruleset": "0"}},
        {"snapshot": {**seated["snapshot"], "sealed": True}, "seat": 0},
        {"snapshot": [], "seat": 0},
        {**seated, "seat": 5},
        {"view": view},
    )
    jobs.work(redis_client, queues.BULK)
    told = [
        json.loads(line)
        for line in client.get(here(job, "/results"), headers={"Accept-Language": "de"}).text.splitlines()
    ]
    codes = [line["problem"]["code"] for line in told[:-1]]
    assert codes == [
        "not-your-turn",
        "broken-view",
        "invalid-body",
        "invalid-body",
        "unknown-ruleset",
        "invalid-body",
        "invalid-body",
        "invalid-body",
    ]
    assert told[0]["id"] == "idle"
    assert told[0]["problem"]["title"] == "Nicht am Zug"
    pointers = [[error["pointer"] for error in line["problem"]["errors"]] for line in told[1:-1]]
    assert all(pointer.startswith(f"/positions/{k}/") for k, found in enumerate(pointers, 1) for pointer in found)
    assert told[1]["problem"]["errors"][0]["rule"].startswith("HR-")
    assert "result" in told[-1]
    assert client.get(here(job)).json["result"]["refused"] == 8  # type: ignore[index]


def text_of_batch(*positions: bytes) -> bytes:
    return json.dumps({**SEARCH, "positions": []}).encode()[:-2] + b",".join(positions) + b"]}"


def test_views_are_read_as_strictly(client: FlaskClient, redis_client: Redis, seated: dict[str, Any]) -> None:
    view: Any = client.post("/v1/games/hoher-rat/views", json=seated).json
    written = json.dumps({**view, "seat": float(view["seat"])}, indent=1).encode()
    views = [written, b"[" * 40 + b"]" * 40, str(2**60).encode(), b'"\xff"', b"[" + b"{}," * 50_000 + b"1]"]
    sent = text_of_batch(*(b'{"view":' + text + b"}" for text in views))
    job = client.post(BATCH, data=sent, content_type="application/json").json
    jobs.work(redis_client, queues.BULK)
    first, *others = lines(client, here(job, "/results"))
    assert first["result"]["seat"] == view["seat"]
    codes = ["json-too-deep", "number-out-of-range", "malformed-json", "too-many-values"]
    assert [line["problem"]["code"] for line in others] == codes


@pytest.mark.parametrize(
    ("sent", "pointer"),
    [
        pytest.param(text_of_batch(b"{}", b"3"), "/positions/1", id="no object"),
        pytest.param(text_of_batch(b"{}", b'{"view":1,"x":1}'), "/positions/1/x", id="an unknown member"),
        pytest.param(text_of_batch(b"{}"), "/positions/0/view", id="neither a view nor a snapshot"),
        pytest.param(text_of_batch(b'{"view":1,"id":"' + b"x" * 65 + b'"}'), "/positions/0/id", id="a long id"),
        pytest.param(text_of_batch(b'{"view":1,"id":"' + b"x" * 2_000 + b'"}'), "/positions/0/id", id="a longer id"),
        pytest.param(text_of_batch(b'{"view":1,"id":"\xff"}'), "/positions/0/id", id="an id that is not UTF-8"),
        pytest.param(text_of_batch(b'{"snapshot":1,"seat":[]}'), "/positions/0/seat", id="a seat that is none"),
        pytest.param(text_of_batch(*[b'{"view":1}'] * 4, b"3"), "/positions", id="one too many ends the reading"),
        pytest.param(b'{"positions":3}', "/positions", id="no list"),
        pytest.param(b'{"positions":[],"x":1}', "/x", id="an unknown member of the body"),
        pytest.param(b"[]", "", id="no body"),
    ],
)
def test_of_a_batch_whose_positions_do_not_fit_the_place_is_told(redis_url: str, sent: bytes, pointer: str) -> None:
    client = application(GAMES, redis_url, batch_positions=3).test_client()
    answer = client.post(BATCH, data=sent, content_type="application/json")
    assert answer.status_code == 422
    assert pointer in [error["pointer"] for error in answer.json["errors"]]  # type: ignore[index]


@pytest.mark.parametrize(("length", "status"), [(1_024, 202), (1_025, 422)])
def test_a_seat_of_a_position_may_be_written_with_this_many_bytes(
    client: FlaskClient, seated: dict[str, Any], length: int, status: int
) -> None:
    seat = f"{seated['seat']}.".ljust(length, "0").encode()
    sent = text_of_batch(b'{"snapshot":%b,"seat":%b}' % (json.dumps(seated["snapshot"]).encode(), seat))
    assert client.post(BATCH, data=sent, content_type="application/json").status_code == status


def test_of_a_batch_with_too_many_positions_both_bounds_are_told(redis_url: str) -> None:
    client = application(GAMES, redis_url, batch_positions=3).test_client()
    answer: Any = client.post(BATCH, data=text_of_batch(*[b'{"view":1}'] * 4), content_type="application/json")
    assert [error["detail"] for error in answer.json["errors"]] == ["Must have 1 to 3 items."]


def test_a_batch_without_its_positions_has_the_usual_size_limit(redis_url: str) -> None:
    client = application(GAMES, redis_url, body_bytes=500).test_client()
    for characters, status in ((300, 422), (600, 413)):
        answer = client.post(BATCH, json={**SEARCH, "seed": "s" * characters, "positions": [{"view": "x" * 1_000}]})
        assert answer.status_code == status


def test_workers_check_views(client: FlaskClient, seated: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    view = client.post("/v1/games/hoher-rat/views", json=seated).json
    looks: list[object] = []
    monkeypatch.setattr(type(GAMES["hoher-rat"]), "from_view", lambda *_: looks.append(_))
    batch(client, {"view": view}, {"view": {"game": "hoher-rat"}}, seated)
    assert looks == []


def test_a_batch_has_a_bound_on_snapshots(redis_url: str) -> None:
    client = application(GAMES, redis_url, batch_snapshots=2).test_client()
    made: Any = client.post("/v1/games/hoher-rat/snapshots", json={"seat_count": 2, "seed": "s"}).json
    seated = {"snapshot": made["snapshot"], "seat": made["actors"][0]}
    view = client.post("/v1/games/hoher-rat/views", json=seated).json
    batch(client, seated, seated, {"view": view}, {"view": view})
    refused: Any = client.post(BATCH, json={**SEARCH, "positions": [seated] * 3})
    assert refused.status_code == 422
    (fault,) = refused.json["errors"]
    assert (fault["pointer"], fault["detail"]) == (
        "/positions",
        "At most 2 positions may be snapshots. Send the others as views.",
    )


def test_workers_get_views_and_no_snapshots(client: FlaskClient, redis_client: Redis, seated: dict[str, Any]) -> None:
    job = batch(client, seated)
    (stored,) = cast("list[bytes]", redis_client.lrange(queues.inputs_key(job["id"]), 0, -1))
    entered = json.loads(unpacked(stored)[0])
    assert entered == {"view": client.post("/v1/games/hoher-rat/views", json=seated).json}
    told = json.loads(redis_client.hget(queues.record_key(job["id"]), "payload") or b"")
    assert set(told) == {"game", "iterations", "milliseconds", "level", "seed", "top", "seconds", "language", "bounds"}


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"positions": []}, "/positions"),
        ({"positions": [{"view": {}, "id": ""}]}, "/positions/0/id"),
        ({"positions": [{"snapshot": {}}]}, "/positions/0/seat"),
        ({"budget": {"milliseconds": 20_001}}, "/budget/milliseconds"),
        ({"budget": {"iterations": 10**9}}, "/budget/iterations"),
        ({"game": "chess"}, "/game"),
        ({"view": {}}, "/view"),
    ],
)
def test_an_impossible_batch_is_refused_with_its_place(
    redis_url: str, redis_client: Redis, change: dict[str, Any], pointer: str
) -> None:
    client = application(GAMES, redis_url, batch_positions=3, batch_seconds=20).test_client()
    answer = client.post(BATCH, json={**SEARCH, "positions": [{"view": {}}], **change})
    said: Any = answer.json
    assert (answer.status_code, said["code"]) == (422, "invalid-body")
    assert pointer in [error["pointer"] for error in said["errors"]]
    assert redis_client.dbsize() == 0


def test_a_batch_may_be_larger_than_other_bodies_and_has_a_bound_of_its_own(redis_url: str) -> None:
    client = application(GAMES, redis_url, table_bytes=1_000, batch_bytes=3_000).test_client()
    for characters, status in ((1_500, 202), (3_500, 413)):
        answer = client.post(BATCH, json={**SEARCH, "positions": [{"view": {"x": "y" * characters}}]})
        assert answer.status_code == status
    assert "3,000" in str(answer.json)
    assert client.post("/v1/jobs/searches", json={**SEARCH, "view": {"x": "y" * 1_500}}).status_code == 413


def test_the_games_of_a_simulation_come_in_order_and_add_up(client: FlaskClient, redis_client: Redis) -> None:
    job = simulation(client)
    assert lines(client, here(job, "/games?follow=false")) == []
    jobs.work(redis_client, queues.BULK)
    told = lines(client, here(job, "/games"))
    assert [(line["game"], line["deal"], line["bots"]) for line in told] == [
        (number, number // 2, [[0, 1], [1, 0]][number % 2]) for number in range(6)
    ]
    result: Any = client.get(here(job)).json["result"]  # type: ignore[index]
    for bot in (0, 1):
        wins = sum(line["rewards"][line["bots"].index(bot)] == 1.0 for line in told)
        assert wins == result["bots"][bot]["wins"]
    assert sum(line["plies"] for line in told) / 6 == pytest.approx(result["plies"]["mean"], abs=1e-3)
    assert lines(client, here(job, "/games?first=4")) == told[4:]
    assert lines(client, here(job, "/games?first=6")) == []


def test_of_a_simulation_that_stopped_early_no_later_game_is_told(client: FlaskClient, redis_client: Redis) -> None:
    body = {"game": "hoher-rat", "seats": BOTS, "seed": "owls", "until": {"half_width": 0.3, "max_games": 900}}
    job = client.post(SIMULATIONS, json=body).json
    jobs.work(redis_client, queues.BULK)
    found: Any = client.get(here(job)).json
    assert found["result"]["games"] == 100
    assert found["progress"] == {"done": 100, "total": 100}
    assert len(lines(client, here(job, "/games"))) == 100


def test_lines_are_told_while_the_job_runs_up_to_the_first_gap(client: FlaskClient, redis_client: Redis) -> None:
    job = simulation(client, games=8)
    claims = [Lease.take(redis_client, job["id"], portion=Portion(2, 2)) for _ in range(3)]
    begin, middle, later = (claim for claim in claims if claim is not None)
    write(begin, redis_client)
    told = (json.loads(line)["game"] for line in client.get(here(job, "/games")).iter_encoded())
    assert [next(told), next(told)] == [0, 1]
    write(later, redis_client)
    write(middle, redis_client)
    assert [next(told) for _ in range(4)] == [2, 3, 4, 5]
    jobs.work(redis_client, queues.BULK)
    assert list(told) == [6, 7]


def write(claim: Lease, client: Redis) -> None:
    work = SimulationWork(SimulationPlan.read(claim.payload))
    claim.put([work.do(number, lambda *_: None) for number in range(claim.first, claim.end)], 5)
    count(client, claim.job, work.aggregate)


def events(answer: Any) -> Iterator[Any]:
    return (json.loads(chunk) for chunk in answer.iter_encoded())


def test_progress_is_told_until_the_end_with_the_interim_result(client: FlaskClient, redis_client: Redis) -> None:
    job = simulation(client, games=4)
    told = events(client.get(here(job, "/events"), headers=LINES))
    begin = next(told)
    assert begin == {"event": "job", "data": client.get(here(job)).json}
    claim = Lease.take(redis_client, job["id"], portion=Portion(2, 2))
    assert claim is not None
    write(claim, redis_client)
    news = next(told)
    assert (news["event"], news["data"]["state"], news["data"]["progress"]) == (
        "progress",
        "running",
        {"done": 2, "total": 4},
    )
    assert news["data"]["partial_result"]["games"] == 2
    jobs.work(redis_client, queues.BULK)
    end = next(told)
    assert end == {"event": "end", "data": client.get(here(job)).json}
    assert end["data"]["state"] == "succeeded"
    assert list(told) == []


def test_progress_comes_as_server_sent_events_where_nothing_else_is_asked_for(client: FlaskClient) -> None:
    job = simulation(client, games=1)
    client.delete(here(job))
    answer = client.get(here(job, "/events"))
    assert answer.mimetype == "text/event-stream"
    retry, begin, end = answer.text.split("\n\n")[:3]
    assert retry == "retry: 2000"
    assert begin.startswith("event: job\ndata: {")
    assert end.startswith("retry: 3600000\nevent: end\ndata: {")
    assert json.loads(end.partition("data: ")[2])["state"] == "canceled"


def test_a_stream_of_a_job_has_heartbeats_and_ends_where_the_job_expires(redis_url: str, redis_client: Redis) -> None:
    client = application(GAMES, redis_url, heartbeat_seconds=1).test_client()
    job = simulation(client, games=1)
    for path, beat in (("/events", {"event": "heartbeat"}), ("/games", None)):
        told = client.get(here(job, path), headers=LINES).iter_encoded()
        if path == "/events":
            next(told)
        line = next(told)
        assert (json.loads(line) if line.strip() else None) == beat
    redis_client.delete(queues.record_key(job["id"]))
    # Without a pause between heartbeats there are many before the key is looked at again.
    assert sum(1 for _ in islice(told, MAX_HEARTBEATS)) < MAX_HEARTBEATS


@pytest.mark.parametrize("part", ["/events", "/games"])
def test_a_stream_of_a_job_ends_when_its_key_is_revoked(redis_url: str, redis_client: Redis, part: str) -> None:
    client, store = application(GAMES, redis_url, heartbeat_seconds=0).test_client(), KeyStore(redis_client)
    (kept, text), (other, _) = store.add("kept", SCOPES), store.add("other", SCOPES)
    headers = {"Api-Key": text, **LINES}
    body = {"game": "hoher-rat", "seats": BOTS, "seed": "owls", "games": 1}
    job: Any = client.post(SIMULATIONS, json=body, headers={"Api-Key": text}).json
    told = client.get(here(job, part), headers=headers).iter_encoded()
    next(told)
    assert store.revoke(other.id)
    next(told)
    assert store.revoke(kept.id)
    # Without a pause between heartbeats there are many before the key is looked at again.
    assert sum(1 for _ in islice(told, MAX_HEARTBEATS)) < MAX_HEARTBEATS


def test_streams_of_jobs_count_among_all_streams_and_give_their_places_back(redis_url: str) -> None:
    client = application(GAMES, redis_url, streams=2).test_client()
    one, other, third = (simulation(client, games=1) for _ in range(3))
    first, second, late = ({"REMOTE_ADDR": f"192.0.2.{number}"} for number in (1, 2, 3))
    asked = ((one, first), (other, second))
    listening = [client.get(here(job, "/events"), headers=LINES, environ_base=who) for job, who in asked]
    for part in ("/events", "/games"):
        busy = client.get(here(third, part), environ_base=late)
        many = client.get(here(third, part), environ_base=first)
        assert (busy.status_code, busy.json["code"]) == (503, "streams-busy")  # type: ignore[index]
        assert (many.status_code, many.json["code"]) == (429, "too-many-streams")  # type: ignore[index]
        assert int(busy.headers["Retry-After"]) > 0
    listening[0].close()  # never read
    next(listening[1].iter_encoded())
    listening[1].close()
    for job in (one, other, third):
        client.delete(here(job))
        for part in ("/events", "/games", "/games?follow=false"):
            assert client.get(here(job, part)).status_code == 200


@pytest.mark.parametrize("part", ["", "/events", "/games", "/results", "/chart"])
def test_a_job_is_shown_to_its_owner(client: FlaskClient, part: str) -> None:
    mine = {"Authorization": "Bearer mine"}
    body = {"game": "hoher-rat", "seats": BOTS, "games": 1}
    job: Any = client.post(SIMULATIONS, json=body, headers=mine).json
    for headers in ({}, {"Authorization": "Bearer yours"}):
        answer: Any = client.get(here(job, part), headers=headers)
        assert (answer.status_code, answer.json["code"]) == (404, "unknown-job")
    client.delete(here(job), headers=mine)
    assert client.get(here(job, part), headers=mine).status_code in {200, 404, 409}


def test_a_part_that_jobs_of_its_kind_have_not_is_not_there(client: FlaskClient, seated: dict[str, Any]) -> None:
    of_games, of_positions = simulation(client, games=1), batch(client, seated)
    search: Any = client.post("/v1/jobs/searches", json={**SEARCH, **seated}).json
    order = {"game": "hoher-rat", "seat_count": 2, "entrants": BOTS, "games": 2}
    tournament: Any = client.post("/v1/jobs/tournaments", json=order).json
    wrong = [
        (tournament, "/results"),
        (of_games, "/results"),
        (of_positions, "/games"),
        (of_positions, "/chart"),
        (search, "/games"),
    ]
    for job, part in wrong:
        answer: Any = client.get(here(job, part))
        assert (answer.status_code, answer.json["code"]) == (404, "no-such-part")
        assert part[1:] in answer.json["detail"]


def test_results_stay_when_a_job_is_cancelled(client: FlaskClient, redis_client: Redis) -> None:
    job = simulation(client, games=8)
    claim = Lease.take(redis_client, job["id"], portion=Portion(2, 2))
    assert claim is not None
    write(claim, redis_client)
    ended: Any = client.delete(here(job)).json
    assert (ended["state"], ended["partial_result"]["games"]) == ("canceled", 2)
    assert len(lines(client, here(job, "/games"))) == 2
    assert client.get(here(job, "/chart")).status_code == 200
    assert not redis_client.exists(queues.open_key(job["id"]), queues.inputs_key(job["id"]))


def test_a_canceled_batch_keeps_no_positions(client: FlaskClient, redis_client: Redis, seated: dict[str, Any]) -> None:
    job = batch(client, seated, seated)
    assert redis_client.exists(queues.inputs_key(job["id"]))
    ended: Any = client.delete(here(job)).json
    assert ended["state"] == "canceled"
    assert not redis_client.exists(queues.inputs_key(job["id"]))


def test_narrow_searches_do_less(client: FlaskClient, redis_client: Redis, seated: dict[str, Any]) -> None:
    body = {"game": "hoher-rat", **seated, "seed": "owls", "budget": {"iterations": 40_000, "half_width": 0.45}}
    job: Any = client.post("/v1/jobs/searches", json=body).json
    jobs.search_all(redis_client)
    found: Any = client.get(here(job)).json
    assert (found["state"], found["progress"]["total"]) == ("succeeded", 40_000)
    assert found["progress"]["done"] == found["result"]["iterations"] < 40_000
    low, high = found["result"]["moves"][0]["interval"]
    assert high - low <= 0.9
    for wrong in (0, 0.5, -0.1, "0.1", None):
        refused: Any = client.post("/v1/jobs/searches", json={**body, "budget": {"iterations": 9, "half_width": wrong}})
        assert (refused.status_code, refused.json["errors"][0]["pointer"]) == (422, "/budget/half_width")


def test_a_waiting_caller_polls_less_and_less() -> None:
    watch = JobWatch("a job", Wait(60).end, lambda _: False)
    periods = [watch.period for _ in range(20)]
    assert (periods[0], periods[-1]) == (FIRST_POLL_SECONDS, POLL_SECONDS)
    assert all(before <= after < 2 * before for before, after in pairwise(periods))


def test_a_chart_is_a_picture_without_scripts_and_always_the_same(client: FlaskClient, redis_client: Redis) -> None:
    job = simulation(client)
    early: Any = client.get(here(job, "/chart"))
    assert (early.status_code, early.json["code"]) == (409, "nothing-counted")
    jobs.work(redis_client, queues.BULK)
    drawn = client.get(here(job, "/chart"))
    assert drawn.mimetype == "image/svg+xml"
    assert drawn.headers["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in drawn.headers["Content-Security-Policy"]
    assert client.get(here(job, "/chart")).data == drawn.data
    root = ET.fromstring(drawn.text)  # noqa: S314 -- our own
    assert "6 games" in (root.get("aria-label") or "")
    names_of_parts = {part.tag.rpartition("}")[2] for part in root.iter()}
    assert not names_of_parts & {"script", "foreignObject", "image", "a"}


def test_a_chart_speaks_the_readers_language_in_the_theme_asked_for(client: FlaskClient, redis_client: Redis) -> None:
    seed = '<b>&"owls" with a name that is far too long for a title'
    job = simulation(client, seed=seed)
    jobs.work(redis_client, queues.BULK)
    counted: Any = client.get(here(job)).json
    rates = [f"{bot['win_rate']:.1%}" for bot in counted["result"]["bots"]]
    local = [f"{rate[:-1].replace('.', ',')}\u00a0%" for rate in rates]
    words = (
        ("de", "Gewonnene Spiele", "Platz", local),
        ("en", "Games won", "Seat", rates),
        ("it", "Partite vinte", "Posto", local),
    )
    for language, said, seat, written in words:
        answer = client.get(here(job, "/chart?theme=dark"), headers={"Accept-Language": language})
        root = ET.fromstring(answer.text)  # noqa: S314 -- our own
        texts = list(root.itertext())
        assert said in "".join(texts)
        assert f"{seed[:23]}…" in "".join(texts)
        assert "too long" not in "".join(texts)
        assert set(written) <= set(texts)
        assert {number for text in texts if (number := text.removeprefix(f"{seat} ")) != text} == {"1", "2"}
    assert "#0d1117" in answer.text


@pytest.mark.parametrize(
    ("query", "refused", "taken"),
    [
        ("theme=pink", "/theme", "Must be one of: light, dark."),
        ("angle=90", "/angle", "There is no such parameter. Supported: theme."),
        ("language=de", "/language", "There is no such parameter. Supported: theme."),
        ("theme=dark&theme=dark", "/theme", "This is repeated."),
    ],
)
def test_a_chart_refuses_what_it_would_ignore_and_says_what_it_takes(
    client: FlaskClient, redis_client: Redis, query: str, refused: str, taken: str
) -> None:
    job = simulation(client, games=2)
    jobs.work(redis_client, queues.BULK)
    answer: Any = client.get(here(job, f"/chart?{query}"))
    assert (answer.status_code, answer.json["code"]) == (422, "invalid-query")
    assert [(fault["pointer"], fault["detail"]) for fault in answer.json["errors"]] == [(refused, taken)]


@pytest.mark.parametrize("bots", [("random",) * 4, ("greedy", "random", "greedy", "random")])
def test_a_chart_has_a_row_for_every_bot_in_every_seat_and_nothing_out_of_sight(
    client: FlaskClient, redis_client: Redis, monkeypatch: pytest.MonkeyPatch, bots: tuple[str, ...]
) -> None:
    drawn = watched(monkeypatch)
    job = simulation(client, seats=[{"bot": {"level": bot}} for bot in bots], games=4)
    jobs.work(redis_client, queues.BULK)
    said = "".join(ET.fromstring(client.get(here(job, "/chart")).text).itertext())  # noqa: S314 -- our own
    assert all(said.count(f"Seat {seat}") == 4 for seat in range(1, 5))
    check_within(drawn)
    check_layout(drawn)


def test_a_job_costs_what_its_budget_allows(client: FlaskClient, redis_client: Redis, seated: dict[str, Any]) -> None:
    def cost(job: Any) -> int:
        return int(job["cost"]["playouts"])

    def search(**budget: int) -> Any:
        return client.post("/v1/jobs/searches", json={**SEARCH, **seated, "budget": budget}).json

    assert cost(search(iterations=700)) == 700
    assert cost(search(milliseconds=20)) == 2 * cost(search(milliseconds=10)) > 100
    assert cost(batch(client, seated, seated, budget={"iterations": 700})) == 1400
    assert cost(simulation(client, games=50)) == 50
    assert (
        cost(simulation(client, games=50, seats=[{"bot": {"level": "easy"}}, {"bot": {"level": "random"}}])) > 50 * 400
    )
    job = JobStore(redis_client).load(simulation(client)["id"])
    assert isinstance(job, Job)
    assert job.cost == 6


@pytest.mark.parametrize(
    ("twice", "pointer"),
    [
        (('"seat": 0', '"seat": 0, "seat": 1'), "/positions/1/seat"),
        (('"top": 1', '"top": 1, "top": 2'), "/top"),
        (('"iterations": 30', '"iterations": 30, "iterations": 31'), "/budget/iterations"),
    ],
)
def test_a_batch_with_a_repeated_name_is_refused_at_once(
    client: FlaskClient, seated: dict[str, Any], twice: tuple[str, str], pointer: str
) -> None:
    position = json.dumps(seated | {"seat": 0})
    body = json.dumps(SEARCH)[:-1] + f', "positions": [{position}, {position}]' + "}"
    head, found, tail = body.rpartition(twice[0])
    assert found
    answer: Any = client.post(BATCH, data=head + twice[1] + tail, content_type="application/json")
    errors = [error["pointer"] for error in answer.json["errors"]]
    assert (answer.status_code, answer.json["code"], errors) == (400, "malformed-json", [pointer])


def test_a_repeated_name_fails_one_position(client: FlaskClient, redis_client: Redis, seated: dict[str, Any]) -> None:
    view: Any = client.post("/v1/games/hoher-rat/views", json=seated).json
    texts = [json.dumps({"view": view}), json.dumps(seated)]
    texts = [text.replace('"ply": 0', '"ply": 0, "ply": 1') for text in texts]
    sent = text_of_batch(*map(str.encode, texts))
    job = client.post(BATCH, data=sent, content_type="application/json").json
    jobs.work(redis_client, queues.BULK)
    problems = [line["problem"] for line in lines(client, here(job, "/results"))]
    assert [(problem["code"], problem["errors"][0]["pointer"]) for problem in problems] == [
        ("malformed-json", "/positions/0/view/ply"),
        ("malformed-json", "/positions/1/snapshot/ply"),
    ]
