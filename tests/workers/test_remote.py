"""Games against bots at URLs: their requests, the causes of a lost game, and the properties of a job."""

import base64
import hashlib
import hmac
import json
import threading
from itertools import count
from types import SimpleNamespace
from typing import Any, cast

import pytest
from flask import Flask
from flask.testing import FlaskClient
from redis import Redis
from werkzeug.test import TestResponse

from games.core.dice import FastDice
from games.core.registry import registered
from service.app import create_app
from service.auth.api_keys import KeyStore
from service.jobs import queues
from service.jobs.leases import Lease, Portion
from service.jobs.players import BOT_ANSWER_BYTES, PLAYOUTS_PER_ANSWER
from service.settings import Settings
from service.webhooks.target import target
from tests.workers import jobs
from tests.workers.bots import first_move, stranger
from workers.simulate.batch import SimulationPlan
from workers.simulate.remote import SILENT_GAMES, RemoteGames, Sender

SECRET = "of the tests"  # noqa: S105
SIMULATIONS = "/v1/jobs/simulations"


@pytest.fixture(scope="module")
def app(redis_server: str) -> Flask:
    return create_app(Settings(redis_url=redis_server, secret_key=SECRET, webhooks_private=True, log_level="critical"))


@pytest.fixture
def client(app: Flask, redis_url: str, monkeypatch: pytest.MonkeyPatch) -> FlaskClient:
    """Return a client of it, with an empty store; the workers of this process send to loopback, too."""
    for name, text in {"SECRET_KEY": SECRET, "WEBHOOKS_PRIVATE": "true", "REDIS_URL": redis_url}.items():
        monkeypatch.setenv(name, text)
    return app.test_client()


@pytest.fixture
def key(redis_client: Redis) -> dict[str, str]:
    _, text = KeyStore(redis_client).add("tests", ["jobs"])
    return {"Api-Key": text}


def parse_response(response: TestResponse) -> Any:
    return json.loads(response.text)


def start_simulation(
    client: FlaskClient, key: dict[str, str], *bots: Any, games: int = 6, kind: str = "gartenzwerge"
) -> Any:
    body = {
        "game": kind,
        "seats": [{"bot": {"level": bot} if isinstance(bot, str) else bot} for bot in bots],
        "games": games,
        "seed": "owls",
    }
    answer = client.post(SIMULATIONS, json=body, headers=key)
    assert answer.status_code == 202, answer.text
    return answer.json


def run_job(client: FlaskClient, redis_client: Redis, key: dict[str, str], job: Any) -> Any:
    jobs.work(redis_client, queues.REMOTE)
    return client.get(f"/v1/jobs/{job['id']}", headers=key).json


def lines(client: FlaskClient, key: dict[str, str], job: Any) -> list[Any]:
    text = client.get(f"/v1/jobs/{job['id']}/games", headers=key).text
    return [json.loads(line) for line in text.splitlines() if line]


def test_a_remote_bot_is_asked_signed(client: FlaskClient, redis_client: Redis, key: dict[str, str]) -> None:
    secret = parse_response(client.get("/v1/jobs/bot-secret", headers=key))["secret"]
    with stranger() as bot:
        job = start_simulation(client, key, {"url": bot.url}, "random")
        found = run_job(client, redis_client, key, job)
    assert found["state"] == "succeeded", found
    mine, theirs = found["result"]["bots"]
    assert (mine["bot"], mine["games"], mine["forfeits"]) == (bot.url.partition("?")[0], 6, [])
    assert mine["wins"] + theirs["wins"] + mine["shared"] == 6
    assert "forfeits" not in theirs
    told, body = bot.heard[0]
    signed = f"{told['webhook-id']}.{told['webhook-timestamp']}.".encode() + body
    expected = hmac.new(base64.b64decode(secret.removeprefix("whsec_")), signed, hashlib.sha256).digest()
    assert told["webhook-signature"] == f"v1,{base64.b64encode(expected).decode()}"
    data = bot.data(0)
    assert data["job"] == job["id"]
    assert data["view"]["seat"] == data["seat"]
    assert data["seat"] in data["view"]["actors"]
    assert {data["number"] for data in map(bot.data, range(len(bot.heard)))} == set(range(6))
    assert len({told["webhook-id"] for told, _ in bot.heard}) == len(bot.heard)


@pytest.mark.thorough
def test_a_copy_of_our_bot_plays_as_ours(client: FlaskClient, redis_client: Redis, key: dict[str, str]) -> None:
    with stranger(lambda data: {"move": data["legal_moves"][0]["move"]}) as bot:
        job = start_simulation(client, key, "greedy", {"url": bot.url, "in_flight": 3}, games=8)
        run_job(client, redis_client, key, job)
        first = lines(client, key, job)
    with stranger() as bot:
        job = start_simulation(client, key, "greedy", {"url": bot.url, "in_flight": 1}, games=8)
        run_job(client, redis_client, key, job)
        assert bot.most_at_once == 1
    assert lines(client, key, job) == first
    assert [line["bots"] for line in first[:2]] == [[0, 1], [1, 0]]


@pytest.mark.parametrize(
    ("said", "cause", "detail"),
    [
        (b"{", "malformed", "not JSON"),
        (b'{"code": 7, "code": 7}', "malformed", "not JSON at /code"),
        (b'{"move": {"kind": "bid_pebbles", "amount": 1, "amount": 1}}', "malformed", "not JSON at /move/amount"),
        (b'{"code": 1e400}', "malformed", "not JSON"),
        (b'{"code": 9007199254740993}', "malformed", "number-out-of-range"),
        (b"[" * 40 + b"]" * 40, "malformed", "json-too-deep"),
        (500, "malformed", "status 500"),
        ({"code": "7"}, "malformed", "not-integer at /code"),
        ({"move": {"kind": "fly"}}, "malformed", "choice at /kind"),
        (b" " * (BOT_ANSWER_BYTES + 1), "malformed", f"more than {BOT_ANSWER_BYTES} bytes"),
        ({"code": 2**50}, "illegal", "no-code"),
    ],
)
def test_an_invalid_move_forfeits_the_game_with_its_cause(
    client: FlaskClient, redis_client: Redis, key: dict[str, str], said: Any, cause: str, detail: str
) -> None:
    with stranger(lambda _: said) as bot:
        found = run_job(client, redis_client, key, start_simulation(client, key, {"url": bot.url}, "random", games=2))
    assert found["result"]["bots"][0]["forfeits"] == [{"cause": cause, "games": 2, "first_game": 0}]
    assert found["result"]["bots"][1]["wins"] == 2
    (line, _) = lines(client, key, found)
    assert line["forfeit"] == {"seat": 0, "cause": cause, "detail": detail}
    assert line["rewards"] == [0.0, 1.0]


def test_illegal_moves_are_counted_by_rule(client: FlaskClient, redis_client: Redis, key: dict[str, str]) -> None:
    game = registered()["wichtel"]

    def wrong(data: Any) -> Any:
        legal = {row["code"] for row in data["legal_moves"]}
        return {"code": next(code for code in range(2**12) if code not in legal and is_move(code))}

    table = game.new(3, game.options_type(), FastDice(1))

    def is_move(code: int) -> bool:
        try:
            return bool(game.decode(table, code))
        except ValueError:
            return False

    with stranger(wrong) as bot:
        job = start_simulation(client, key, {"url": bot.url}, "random", "random", games=3, kind="wichtel")
        found = run_job(client, redis_client, key, job)
    forfeits = found["result"]["bots"][0]["forfeits"]
    assert sum(row["games"] for row in forfeits) == 3
    rules = {rule.id for rule in game.rules}
    assert all(row["cause"] == "illegal" and row["rule"] in rules for row in forfeits)
    assert lines(client, key, found)[0]["rewards"] == [0.0, 0.5, 0.5]


def test_a_late_answer_and_an_absent_bot_forfeit(client: FlaskClient, redis_client: Redis, key: dict[str, str]) -> None:
    over = threading.Event()
    with stranger(lambda _: over.wait(20) and 200) as bot:
        job = start_simulation(client, key, {"url": bot.url, "deadline_ms": 50}, "random", games=2)
        found = run_job(client, redis_client, key, job)
        over.set()
    assert [row["cause"] for row in found["result"]["bots"][0]["forfeits"]] == ["timeout"]
    found = run_job(client, redis_client, key, start_simulation(client, key, {"url": bot.url}, "random", games=2))
    assert [row["cause"] for row in found["result"]["bots"][0]["forfeits"]] == ["unreachable"]


def test_a_silent_bot_ends_its_job(client: FlaskClient, redis_client: Redis, key: dict[str, str]) -> None:
    with stranger(lambda _: 404) as bot:
        found = run_job(
            client, redis_client, key, start_simulation(client, key, "random", {"url": bot.url}, games=5_000)
        )
        heard = len(bot.heard)
    assert (found["state"], found["problem"]["code"]) == ("failed", "bot-silent")
    assert "status 404" in found["problem"]["detail"]
    assert SILENT_GAMES <= heard < 2 * SILENT_GAMES


def test_a_canceled_job_asks_no_bot_again(client: FlaskClient, redis_client: Redis, key: dict[str, str]) -> None:
    ended_job = threading.Event()

    def cancels(data: Any) -> Any:
        client.delete(f"/v1/jobs/{data['job']}", headers=key)
        assert ended_job.wait(60)
        return first_move(data)

    with stranger(cancels) as bot:
        job = start_simulation(client, key, {"url": bot.url, "in_flight": 3}, "random", games=5_000)
        found = run_job(client, redis_client, key, job)
        heard = len(bot.heard)
        ended_job.set()
    assert found["state"] == "canceled"
    assert 1 <= heard <= 3


def test_one_worker_alone_plays_so_a_bot_has_no_more_games_than_it_takes(
    client: FlaskClient, redis_client: Redis, key: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.tasks.REMOTE_SECONDS", 0.0)
    with stranger() as bot:
        job = start_simulation(client, key, {"url": bot.url, "in_flight": 2}, "random", games=5)
        held = Lease.take(redis_client, job["id"], "", Portion(2**40, 2**40))
        assert held is not None
        assert (held.first, held.end) == (0, 5)
        jobs.work(redis_client, queues.REMOTE)
        assert bot.heard == []


def test_a_dead_workers_games_are_replayed_with_the_same_requests(
    client: FlaskClient, redis_client: Redis, key: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with stranger() as bot:
        job = start_simulation(client, key, {"url": bot.url}, "random", games=4)
        with monkeypatch.context() as patched:
            patched.setattr(Lease, "put", dies)
            with pytest.raises(KeyboardInterrupt):
                jobs.work(redis_client, queues.REMOTE)
        before = {told["webhook-id"]: msg for told, msg in bot.heard}
        bot.heard.clear()
        (member,) = cast("list[bytes]", redis_client.zrange(queues.open_key(job["id"]), 0, -1))
        redis_client.zadd(queues.open_key(job["id"]), {member: 0})  # its lease has run out
        queues.enqueue(redis_client, queues.REMOTE_SIMULATION, queues.task_id(job["id"], 9), [job["id"]], 60)
        found = run_job(client, redis_client, key, job)
        again = {told["webhook-id"] for told, _ in bot.heard}
    assert (found["state"], found["result"]["games"]) == ("succeeded", 4)
    assert again == set(before)


def test_a_tournament_rates_a_bot_at_a_url(client: FlaskClient, redis_client: Redis, key: dict[str, str]) -> None:
    with stranger() as bot:
        entrants = [
            {"bot": {"url": bot.url}, "name": "mine"},
            {"bot": {"level": "random"}},
            {"bot": {"level": "greedy"}},
        ]
        body = {"game": "gartenzwerge", "seat_count": 2, "entrants": entrants, "games": 12, "seed": "larks"}
        answer = client.post("/v1/jobs/tournaments", json=body, headers=key)
        assert answer.status_code == 202, answer.text
        found = run_job(client, redis_client, key, answer.json)
    mine = next(entrant for entrant in found["result"]["entrants"] if entrant["name"] == "mine")
    assert (mine["bot"], mine["games"], mine["forfeits"]) == (bot.url.partition("?")[0], 8, [])
    chart = client.get(f"/v1/jobs/{found['id']}/chart", headers=key)
    assert chart.status_code == 200


def test_a_remote_bot_needs_a_key_and_costs(client: FlaskClient, redis_url: str, key: dict[str, str]) -> None:
    bot = {"url": "http://127.0.0.1:9/"}
    body = {"game": "hoher-rat", "seats": [{"bot": bot}, {"bot": {"level": "random"}}], "games": 10}
    assert parse_response(client.post(SIMULATIONS, json=body))["code"] == "key-needed"
    assert parse_response(client.get("/v1/jobs/bot-secret"))["code"] == "key-needed"
    many = parse_response(client.post(SIMULATIONS, json={**body, "games": 20_001}, headers=key))
    assert many["errors"][0]["pointer"] == "/games"
    costs = parse_response(client.post(SIMULATIONS, json=body, headers=key))["cost"]["playouts"]
    assert costs == 10 * (1 + 50 * PLAYOUTS_PER_ANSWER)
    strict = create_app(Settings(redis_url=redis_url)).test_client()
    for url in ("http://bots.example/", "https://10.0.0.1/", "https://[::1]/", "https://u:p@bots.example/"):
        assert target(url) is None
        seats = [{"bot": {"level": "random"}}, {"bot": {"url": url}}]
        refused = strict.post(SIMULATIONS, json={**body, "seats": seats}, headers=key)
        assert refused.status_code == 422
        assert parse_response(refused)["errors"][0]["pointer"] == "/seats/1/bot/url"


def test_no_games_are_begun_once_the_time_for_it_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = count(1_000)
    monkeypatch.setattr("workers.simulate.remote.time", SimpleNamespace(monotonic=lambda: next(clock)))
    plan = SimulationPlan.read(jobs.simulation_order("random", "random", games=20).payload)
    games = RemoteGames(plan, Sender(job="a job", secret=SECRET))
    lines = games.play_some(5, 20, 3, lambda: None)
    assert [json.loads(line)["game"] for line in lines] == [5, 6]
