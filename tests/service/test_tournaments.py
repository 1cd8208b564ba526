"""Tournaments over HTTP: requests, costs, and a job's description; the workers' own code plays."""

import json
import xml.etree.ElementTree as ET
from typing import Any

import pytest
from flask.testing import FlaskClient
from redis import Redis

from service.jobs import queues
from service.jobs.aggregate import count
from service.jobs.leases import Lease, Portion
from tests.service.charts import check_layout, check_within, watched
from tests.workers import jobs
from workers.simulate.batch import SimulationWork
from workers.simulate.here import simulate
from workers.simulate.tournament import TournamentPlan

TOURNAMENTS = "/v1/jobs/tournaments"
THREE = [{"bot": {"level": "greedy"}}, {"bot": {"level": "random"}}, {"bot": {"level": "random"}, "name": "chance"}]
COUNCIL = {"game": "hoher-rat", "seat_count": 2, "entrants": THREE, "seed": "larks"}


def begin_tournament(client: FlaskClient, **change: Any) -> Any:
    answer = client.post(TOURNAMENTS, json={**COUNCIL, "games": 12, **change})
    assert answer.status_code == 202, answer.text
    return answer.json


def read_job(client: FlaskClient, job: Any, part: str = "") -> Any:
    answer = client.get(f"/v1/jobs/{job['id']}{part}")
    assert answer.status_code == 200, answer.text
    return answer.json if answer.is_json else answer.text


def finish(redis_client: Redis, job: Any) -> Any:
    return json.loads(redis_client.hget(queues.record_key(job["id"]), "payload") or b"")


def test_a_tournament_is_queued_as_whole_rounds(client: FlaskClient, redis_client: Redis) -> None:
    job = begin_tournament(client, games=17)
    assert (job["kind"], job["state"], job["progress"]) == ("tournament", "queued", {"done": 0, "total": 12})
    assert job["cost"] == {"playouts": 12}
    payload = finish(redis_client, job)
    assert payload["names"] == ["greedy", "random", "chance"]
    assert payload["bots"] == ["greedy", "random", "random"]
    assert (payload["rounds"], payload["anchor"], payload["half_width"]) == (2, None, 0.0)


@pytest.mark.parametrize(
    ("change", "a_round"),
    [
        ({"seat_count": 4}, 6),
        ({"game": "wichtel", "seat_count": 3}, 3),
        ({"game": "gartenzwerge", "seat_count": 5}, 15),
        ({"game": "barbarossa", "seat_count": 4}, 12),
    ],
)
def test_a_round_fits_seats_and_teams_of_the_game(client: FlaskClient, change: dict[str, Any], a_round: int) -> None:
    assert begin_tournament(client, **change, games=a_round)["progress"]["total"] == a_round
    answer: Any = client.post(TOURNAMENTS, json={**COUNCIL, **change, "games": a_round - 1})
    assert answer.status_code == 422
    (error,) = answer.json["errors"]
    assert error["pointer"] == "/games"
    assert str(a_round) in error["detail"]


def test_a_tournament_costs_the_searches_of_its_bots(client: FlaskClient) -> None:
    def cost(**change: Any) -> int:
        return int(begin_tournament(client, **change)["cost"]["playouts"])

    searching = [{"bot": {"level": "easy"}}, {"bot": {"level": "random"}}]
    alone = cost(entrants=searching, games=2)
    assert alone > 2 * 400
    assert cost(entrants=searching, games=20) == 10 * alone
    assert cost(entrants=searching, games=2, seat_count=4) == 2 + 2 * (alone - 2)
    assert cost(entrants=[*searching, {"bot": {"level": "random"}, "name": "other"}], games=6) == 6 + 2 * (alone - 2)


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"game": "chess"}, "/game"),
        ({"seat_count": 3}, "/seat_count"),
        ({"seat_count": 1}, "/seat_count"),
        ({"seat_count": None}, "/seat_count"),
        ({"seats": [{"bot": {"level": "random"}}] * 2}, "/seats"),
        ({"entrants": THREE[:1]}, "/entrants"),
        ({"entrants": [{"bot": {"level": "random"}, "name": f"{k}"} for k in range(9)]}, "/entrants"),
        ({"entrants": [{"bot": {"level": "random"}}, {"bot": {"level": "random"}}]}, "/entrants/1/name"),
        (
            {"entrants": [{"bot": {"level": "random"}}, {"bot": {"level": "greedy"}, "name": "random"}]},
            "/entrants/1/name",
        ),
        ({"entrants": [{"bot": {"level": "random"}}, {"bot": {"level": "sage"}}]}, "/entrants/1/bot/level"),
        ({"entrants": [{"bot": {"level": "random"}}, {"name": "me"}]}, "/entrants/1/bot"),
        ({"anchor": "tuned"}, "/anchor"),
        ({"options": {"speed": 1}}, "/options/speed"),
        ({"games": 10**6}, "/games"),
        ({"games": 0}, "/games"),
        ({"until": {"half_width": 20, "max_games": 60}}, "/until"),
        ({"rotate_seats": False}, "/rotate_seats"),
        ({"seed": ""}, "/seed"),
    ],
)
def test_a_tournament_that_cannot_be_is_refused_with_its_place(
    client: FlaskClient, redis_client: Redis, change: dict[str, Any], pointer: str
) -> None:
    answer: Any = client.post(TOURNAMENTS, json={**COUNCIL, "games": 12, **change})
    assert (answer.status_code, answer.json["code"]) == (422, "invalid-body")
    assert pointer in [error["pointer"] for error in answer.json["errors"]]
    assert redis_client.dbsize() == 0


@pytest.mark.parametrize(
    ("until", "pointer"),
    [
        ({"half_width": 0.5, "max_games": 60}, "/until/half_width"),
        ({"half_width": 20, "max_games": 5}, "/until/max_games"),
        ({"half_width": 20, "max_games": 10**6}, "/until/max_games"),
        ({"half_width": 20}, "/until/max_games"),
    ],
)
def test_an_impossible_stop_rule_is_refused(client: FlaskClient, until: dict[str, Any], pointer: str) -> None:
    answer: Any = client.post(TOURNAMENTS, json={**COUNCIL, "until": until})
    assert (answer.status_code, answer.json["errors"][0]["pointer"]) == (422, pointer)


def test_a_tournament_tells_what_it_finds_here_and_every_game(client: FlaskClient, redis_client: Redis) -> None:
    job = begin_tournament(client, anchor="chance")
    payload = finish(redis_client, job)
    jobs.work(redis_client, queues.BULK)
    found = read_job(client, job)
    assert (found["state"], found["progress"]) == ("succeeded", {"done": 12, "total": 12})
    assert found["result"] == simulate(TournamentPlan.read(payload))
    assert found["result"]["zero"] == ["chance"]
    lines = [json.loads(line) for line in read_job(client, job, "/games").splitlines()]
    assert [line["deal"] for line in lines] == [number // 2 for number in range(12)]
    for number, each in enumerate(found["result"]["entrants"]):
        seated = [line["rewards"][line["bots"].index(number)] for line in lines if number in line["bots"]]
        assert (len(seated), seated.count(1.0)) == (each["games"], each["wins"])


def test_a_tournament_may_play_until_it_knows_enough(client: FlaskClient, redis_client: Redis) -> None:
    pair = [{"bot": {"level": "random"}}, {"bot": {"level": "random"}, "name": "other"}]
    body = {**COUNCIL, "entrants": pair, "until": {"half_width": 100, "max_games": 999}}
    job = client.post(TOURNAMENTS, json=body).json
    assert job is not None
    assert job["progress"]["total"] == 998
    jobs.work(redis_client, queues.BULK)
    result = read_job(client, job)["result"]
    assert 100 <= result["games"] < 998
    low, high = result["entrants"][0]["rating"]["interval"]
    assert (high - low) / 2 <= 100


def test_interim_results_are_told_and_survive_a_cancel(client: FlaskClient, redis_client: Redis) -> None:
    job = begin_tournament(client)
    assert client.get(f"/v1/jobs/{job['id']}/chart").status_code == 409
    claim = Lease.take(redis_client, job["id"], portion=Portion(7, 7))
    assert claim is not None
    work = SimulationWork(TournamentPlan.read(claim.payload))
    claim.put([work.do(number, lambda *_: None) for number in range(7)], 5)
    count(redis_client, claim.job, work.aggregate)
    partial = read_job(client, job)["partial_result"]
    assert (partial["kind"], partial["games"], partial["rounds"]) == ("tournament", 7, 1)
    client.delete(f"/v1/jobs/{job['id']}")
    assert read_job(client, job)["partial_result"] == partial
    assert "7 games" in read_job(client, job, "/chart")


@pytest.mark.parametrize(
    ("language", "said"), [("de", "Elo-Skala"), ("en", "Elo scale"), ("it", "scala Elo")], ids=["de", "en", "it"]
)
def test_a_chart_shows_ratings_and_who_scored_against_whom(
    client: FlaskClient, redis_client: Redis, monkeypatch: pytest.MonkeyPatch, language: str, said: str
) -> None:
    drawn = watched(monkeypatch)
    strange = [
        {"bot": {"level": "greedy"}, "name": "<b>&\\"},
        {"bot": {"level": "random"}, "name": "$\\frac{1$ \u00a7"},
    ]
    job = begin_tournament(client, entrants=strange, games=4, seed="$\\no{\u0002")
    jobs.work(redis_client, queues.BULK)
    path = f"/v1/jobs/{job['id']}/chart?theme=dark"
    answer = client.get(path, headers={"Accept-Language": language})
    assert (answer.status_code, answer.mimetype) == (200, "image/svg+xml")
    texts = "".join(ET.fromstring(answer.text).itertext())  # noqa: S314 -- our own
    assert said in texts
    assert texts.count("1. <b>&\\") == 2
    assert texts.count("2. $\\frac{1$ \u00a7") == 2
    assert client.get(path, headers={"Accept-Language": language}).data == answer.data
    check_within(drawn)
    check_layout(drawn)
    scale = drawn[0].panels[0].x
    left, right = scale.low, scale.high
    ratings = [entrant["rating"] for entrant in read_job(client, job)["result"]["entrants"]]
    ends = [end for rating in ratings for end in (rating["elo"], *rating["interval"]) if end is not None]
    assert min(min(ends) - left, right - max(ends)) > 0.05 * (right - left), "room is left at both ends"
