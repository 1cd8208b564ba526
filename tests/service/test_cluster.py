"""Sessions lie in a Redis Cluster of three masters, while the queue and the data of jobs stay on one Redis."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from random import Random
from typing import Any
from uuid import uuid4

import pytest
import redis
from flask import Flask
from werkzeug.test import TestResponse

from games.core.registry import registered
from service.app import create_app
from service.auth.api_keys import PLAY_SCOPE, KeyStore
from service.http.context import AppContext
from service.jobs import queues
from service.settings import Limits, Settings
from service.store import keys
from service.store.bot_decisions import BotDecision, BotDecisionCache
from service.store.connections import Register, watchers
from service.store.due import DueSets
from service.store.leases import StoreLease
from service.store.owner_index import OwnerIndex, entry_of
from service.store.phrases import Phrase
from tests.service.kit import BOT, PEOPLE, SESSIONS, Sitting, bid, code_of, sit
from tests.service.nodes import PATIENCE, Cluster, cluster
from tests.service.streams.hearing import audiences, chunks, listen, numbered, patched, play
from tests.toy import GAME
from tests.workers import jobs
from tests.workers.processes import until, worker

BATCH = "/v1/sessions:batch"


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with cluster(tmp_path_factory.mktemp("cluster")) as running:
        yield running


@pytest.fixture(scope="module")
def app(nodes: Cluster, redis_server: str) -> Iterator[Flask]:
    """Yield an application that keeps its sessions there, and the rest in the run's Redis."""
    with application_at(nodes, redis_server) as made:
        yield made


@contextmanager
def application_at(nodes: Cluster, redis_server: str) -> Iterator[Flask]:
    settings = Settings(
        redis_url=redis_server,
        sessions_url=nodes.url,
        log_level="critical",
        limits=Limits(heartbeat_seconds=1, streams=12),
    )
    made = create_app(settings, {GAME.slug: GAME, **registered()})
    yield made
    house(made).sessions_redis.close()


@pytest.fixture(autouse=True)
def queue(redis_client: redis.Redis) -> redis.Redis:
    return redis_client


def house(app: Flask) -> AppContext:
    found: AppContext = app.extensions["context"]
    return found


def at(app: Flask, nodes: Cluster, master: int, *seats: dict[str, Any]) -> Sitting:
    sittings = (sit(app, *seats, seed=f"{number}") for number in count())
    return next(sitting for sitting in sittings if nodes.home(keys.session(sitting.made["id"])) == master)


@pytest.mark.parametrize("master", range(3))
def test_at_every_master_sessions_are_played_and_their_streams_agree(app: Flask, nodes: Cluster, master: int) -> None:
    sitting = at(app, nodes, master)
    with audiences(sitting) as listening:
        seen = play(sitting, Random(master), 8)
    for audience in listening:
        state: Any = None
        for number, message in enumerate(numbered(audience.messages.result()), start=1):
            assert message["id"] == number
            state = message["data"] if number == 1 else patched(state, message["data"]["changes"])
            assert state == seen[audience.caller, number]
        assert number == sitting.standing(audience.caller)["version"]
    name, life = sitting.made["id"], house(app).settings.limits.session_days * 86_400_000
    kept = nodes.masters[master].client
    assert all(0 < kept.pttl(key) <= life for key in (keys.session(name), keys.log(name)))


def test_a_seat_is_claimed_a_poll_waits_and_a_ticket_opens_a_stream(app: Flask, nodes: Cluster) -> None:
    sitting = at(app, nodes, 1, PEOPLE[0], {"kind": "open"})
    code = sitting.made["seats"][1]["invite"]
    claimed = sitting.call(None, "POST", "/seats/1/claim", json={"code": code})
    assert claimed.status_code == 201, claimed.text
    sitting.made["seats"][1]["token"] = claimed.json["token"]  # type: ignore[index]
    seen = sitting.look(0)
    with ThreadPoolExecutor(1) as pool:
        poll = pool.submit(sitting.look, 0, "?wait=25", If_None_Match=seen.headers["ETag"])
        assert [sitting.move(seat, bid(1)).status_code for seat in (0, 1)] == [201, 201]
        answer = poll.result(PATIENCE)
    assert answer.json is not None
    assert answer.status_code == 200
    assert answer.json["version"] > seen.json["version"]  # type: ignore[index]
    with closing(app.test_client().get(seen.json["stream_url"])) as stream:  # type: ignore[index]
        assert wait_for_event(stream, "presence")
        connected = sitting.look(None, "/presence").json
        assert connected is not None
        assert connected["connected"] == [0]


def test_a_repeated_move_is_made_once_and_a_batch_founded_whole_or_not(app: Flask, nodes: Cluster) -> None:
    sitting, named = at(app, nodes, 2), {"Idempotency_Key": str(uuid4())}
    first, again = (sitting.move(0, bid(2), **named) for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert (first.data, sitting.version(0)) == (again.data, first.json["version"])  # type: ignore[index]

    client, wanted = app.test_client(), {"sessions": [{"game": "pebbles", "seats": [*PEOPLE]}] * 20}
    made = [client.post(BATCH, json=wanted, headers={"Idempotency-Key": named["Idempotency_Key"]}) for _ in range(2)]
    assert [answer.status_code for answer in made] == [201, 201]
    assert made[0].data == made[1].data
    members = [member["id"] for member in made[0].json["sessions"]]  # type: ignore[index]
    (home,) = {nodes.home(keys.session(name)) for name in members}  # so that one script founds them all, decision 020
    kept = nodes.masters[home].client
    assert all(kept.exists(keys.session(name), keys.log(name)) == 2 for name in members)


def test_a_key_lists_its_sessions_at_every_master(app: Flask, nodes: Cluster, queue: redis.Redis) -> None:
    record, secret = KeyStore(queue).add("founder", (PLAY_SCOPE,))
    founder = {"Api-Key": secret}

    def found(master: int) -> str:
        for _ in count():
            answer = app.test_client().post(SESSIONS, json={"game": "pebbles", "seats": [*PEOPLE]}, headers=founder)
            if nodes.home(keys.session(answer.json["id"])) == master:  # type: ignore[index]
                return str(answer.json["id"])  # type: ignore[index]
        raise AssertionError

    made = {found(master) for master in range(3)}
    listed = app.test_client().get(f"{SESSIONS}?limit=100", headers=founder).json
    assert made <= {each["id"] for each in listed["sessions"]}  # type: ignore[index]
    kept, session_id = house(app).sessions_redis, made.pop()
    index, now = keys.index_key(session_id, record.id), house(app).sessions.now()
    old = [entry_of(number, f"{session_id[0]}{number:031x}") for number in range(3)]
    kept.zadd(index, dict.fromkeys(old, 0))
    new = entry_of(now, session_id)
    OwnerIndex(kept).add(index, keys.session, [new] * 9, 60_000)  # looks at 19 at least, which are all
    entries: Any = kept.zrange(index, 0, -1)
    assert not {entry.decode() for entry in entries} & set(old)
    assert kept.zscore(index, new) is not None


def test_workers_serve_every_master(app: Flask, nodes: Cluster, queue: redis.Redis, redis_url: str) -> None:
    body = {"game": "hoher-rat", "spectators": "live", "clock": {"move_ms": 1_000, "policy": "random"}}
    bots = [sit(app, BOT, BOT, **body) for _ in range(3)]
    late = sit(app, *PEOPLE, **body)
    with (
        worker(redis_url, queues.PLAY, SESSIONS_URL=nodes.url),
        worker(redis_url, queues.SEARCHES, SESSIONS_URL=nodes.url),
    ):
        job = jobs.search(queue, iterations=10)
        until(lambda: all(len(lines(app, sitting)) > 3 for sitting in bots), PATIENCE)
        until(lambda: len(lines(app, late)) > 1, PATIENCE)
        assert jobs.wait_until_ended(queue, job).state == "succeeded"
    assert not list(queue.scan_iter("{s:*")) + list(queue.scan_iter("o:*"))
    for master in nodes.masters:
        assert not list(master.client.scan_iter("rq:*")) + list(master.client.scan_iter("j:*"))


def wait_for_event(stream: TestResponse, event: str = "state") -> bool:
    """Read a stream until its state, or another event; with the first `presence` its seat is connected."""
    return any(f"event: {event}" in chunk for chunk in chunks(stream))


def lines(app: Flask, sitting: Sitting) -> list[Any]:
    return house(app).sessions.store.log_entries(sitting.made["id"])


def test_whatever_the_stores_do_they_do_at_every_master(app: Flask, nodes: Cluster) -> None:
    kept = house(app).sessions_redis
    decisions, due, register, store = BotDecisionCache(kept), DueSets(kept), Register(kept), house(app).sessions.store
    for sitting in (at(app, nodes, master) for master in range(3)):
        name = sitting.made["id"]
        one, other = (StoreLease(kept, keys.bots(name), lease_id, PATIENCE * 1000) for lease_id in ("one", "other"))
        assert one.take()
        assert decisions.is_leased(name)
        assert not other.take()
        one.release()
        assert not decisions.is_leased(name)
        assert [decisions.attempt(name, "a move") for _ in range(2)] == [1, 2]
        decisions.remember(name, "a move", 7, 9)
        assert decisions.recall(name, ["a move", "another"]) == [BotDecision(7, 0, 9), None]
        decisions.discard(name, "a move")
        decisions.forget(name, "a move")
        assert decisions.attempt(name, "a move") == 1
        kept.zadd(keys.due_of(name), {name: 5})
        due.hasten(name, 4)
        due.settle(name, 1, 4, 3)
        assert (name, 3) in due.before(3, 9)
        due.forget(name)
        assert due.time(name) is None
        assert name in set(store.every())
        assert register.look(name, 0, ["1/mark"]).seats == {1}
        marked = register.look(name, 0, [watchers("a-process", 2)])
        assert (set(marked.seats), marked.watchers, marked.phrases) == ({1}, 2, 0)
        sent = store.phrases.send(name, Phrase(seat=1, phrase="hello", at=1), "an operation")
        assert sent == Phrase(number=1, seat=1, phrase="hello", at=1)
        assert store.phrases.after(name) == [sent]
        assert register.look(name, 0).phrases == 1
        register.leave(name, ["1/mark"])
        assert register.look(name, 0).seats == frozenset()
    kept.delete(keys.SCHEDULER)
    one, other = (StoreLease(kept, keys.SCHEDULER, lease_id, PATIENCE * 1000) for lease_id in ("one", "other"))
    assert one.take()
    assert not other.take()
    one.release()
    assert other.take()


@pytest.fixture
def doomed(tmp_path: Path) -> Iterator[Cluster]:
    """Yield a cluster of the test's own, one of whose masters it may kill."""
    with cluster(tmp_path) as running:
        yield running


@pytest.mark.thorough
def test_a_dead_masters_sessions_wait_for_its_replica_and_others_go_on(doomed: Cluster, redis_server: str) -> None:
    with application_at(doomed, redis_server) as app:
        _survives_a_master(app, doomed)


def _survives_a_master(app: Flask, nodes: Cluster) -> None:
    one, other = at(app, nodes, 0), at(app, nodes, 1)
    assert one.move(0, bid(2)).status_code == other.move(0, bid(1)).status_code == 201
    version, streams = one.version(0), [listen(sitting, 0) for sitting in (one, other)]
    assert all(map(wait_for_event, streams))
    assert app.test_client().get("/readyz").status_code == 200  # it is probed from the start, and finds all nodes
    nodes.masters[0].client.wait(1, 0)
    nodes.masters[0].kill()
    lost = one.look(0)
    assert (lost.status_code, code_of(lost), "Retry-After" in lost.headers) == (503, "store-away", True)
    assert other.move(1, bid(1)).status_code == 201
    assert app.test_client().get("/readyz").status_code == 200
    nodes.replica.client.execute_command("CLUSTER FAILOVER", "TAKEOVER")
    until(lambda: one.look(0).status_code == 200, PATIENCE)
    assert one.version(0) == version
    assert one.move(1, bid(1)).status_code == 201
    for stream in streams:
        stream.close()
    with closing(listen(one, 0, f"?after={version}")) as resumed:
        assert any(f"id: {version + 1}~" in chunk for chunk in chunks(resumed))


@pytest.mark.thorough
def test_a_cluster_is_asked_late_and_one_that_is_away_is_a_store_that_is_away(
    redis_url: str,
) -> None:
    nowhere = Settings(redis_url=redis_url, sessions_url="redis+cluster://127.0.0.1:1", log_level="critical")
    app = create_app(replace(nowhere, limits=Limits(streams=1)), {GAME.slug: GAME})
    client = app.test_client()
    assert client.get("/healthz").status_code == 200
    assert client.get("/readyz").status_code == 503
    answer = client.post("/v1/sessions", json={"game": "pebbles", "seats": [*PEOPLE]})
    assert (answer.status_code, code_of(answer)) == (503, "store-away")
