"""Groups of a simulation's games over HTTP."""

import json
from typing import Any

import pytest
from flask.testing import FlaskClient
from redis import Redis
from werkzeug.test import TestResponse

from games.barbarossa.moves import AskFreely
from games.core.dice import FastDice
from games.core.registry import registered
from service.jobs import queues
from service.wire.jobs import _grouped_rows
from tests.workers import jobs

SIMULATIONS = "/v1/jobs/simulations"
BOTS = [{"bot": {"level": "greedy"}}, {"bot": {"level": "random"}}]
BODY = {"game": "hoher-rat", "seats": BOTS, "seed": "owls", "games": 12, "options": {"turn_cap": 20}}
GROUPS = {"outcome": [{"field": "view.winner"}, {"field": "view.turns", "bucket": 10}], "opening": 2}


def ask(client: FlaskClient, **more: Any) -> TestResponse:
    return client.post(SIMULATIONS, json={**BODY, **more})


def result_of(client: FlaskClient, redis_client: Redis, **more: Any) -> Any:
    answer = ask(client, **more)
    assert answer.status_code == 202, answer.text
    jobs.work(redis_client, queues.BULK)
    found: Any = client.get(answer.headers["Location"]).json
    assert found["state"] == "succeeded", found
    return {**found["result"], "location": answer.headers["Location"]}


def test_a_count_and_a_list_of_games_have_the_same_groups(client: FlaskClient, redis_client: Redis) -> None:
    kept, counted = (result_of(client, redis_client, group_by=GROUPS, games_kept=stored) for stored in (True, False))
    assert kept["groups"] == counted["groups"]
    groups = kept["groups"]
    assert sum(row["games"] for row in groups["rows"]) == 12
    assert (groups["other"], groups["share"]) == (0, 1)
    for row in groups["rows"]:
        assert set(row["key"]) == {"view.winner", "view.turns"}
        assert int(row["key"]["view.turns"]) % 10 == 0
        assert [set(move) for move in row["opening"]] == [{"seat", "code", "move"}] * 2
        assert all(move["move"]["kind"] for move in row["opening"])
    lines = [json.loads(line) for line in client.get(f"{kept['location']}/games").text.splitlines()]
    for row in groups["rows"]:
        opening = [{name: move[name] for name in ("seat", "code")} for move in row["opening"]]
        mine = [line for line in lines if line["group"] == {"key": row["key"], "opening": opening}]
        assert len(mine) == row["games"]


def test_without_groups_nothing_is_added(client: FlaskClient, redis_client: Redis) -> None:
    plain = result_of(client, redis_client, games=2)
    assert "groups" not in plain
    assert '"group"' not in client.get(f"{plain['location']}/games").text


def test_a_rule_that_says_when_it_is_enough_has_groups_of_the_counted_games(
    client: FlaskClient, redis_client: Redis
) -> None:
    body = {name: value for name, value in BODY.items() if name != "games"}
    until = {"half_width": 0.3, "max_games": 300}
    answer = client.post(SIMULATIONS, json={**body, "until": until, "group_by": {"opening": 1, "top": 2}})
    jobs.work(redis_client, queues.BULK)
    found: Any = client.get(answer.headers["Location"]).json["result"]  # type: ignore[index]
    assert len(found["groups"]["rows"]) == 2
    assert sum(row["games"] for row in found["groups"]["rows"]) + found["groups"]["other"] == found["games"] < 300


@pytest.mark.parametrize(
    ("group_by", "pointer", "said"),
    [
        ({"outcome": [{"field": "winner"}]}, "outcome/0/field", "bots, forfeit, plies, rewards, view, winners"),
        ({"outcome": [{"field": "plies"}, {"field": "points.0"}]}, "outcome/1/field", "rewards, view"),
        ({"outcome": [{"field": "rewards.2"}]}, "outcome/0/field", "rewards.0 to rewards.1"),
        ({"outcome": [{"field": "view.winner", "bucket": 2}]}, "outcome/0/bucket", "integers"),
        ({"outcome": [{"field": "plies"}, {"field": "plies", "bucket": 2}]}, "outcome/1/field", "repeated"),
        ({}, "outcome", "required"),
        ({"outcome": []}, "outcome", "1 to 4"),
        ({"outcome": [{"field": "plies"}] * 5}, "outcome", "1 to 4"),
        ({"opening": 9}, "opening", "1 to 8"),
        ({"opening": 1, "top": 1_001}, "top", "1 to 1,000"),
    ],
)
def test_groups_that_cannot_be_counted_are_refused(
    client: FlaskClient, group_by: dict[str, Any], pointer: str, said: str
) -> None:
    refused = ask(client, group_by=group_by)
    assert refused.status_code == 422
    (error,) = refused.json["errors"]  # type: ignore[index]
    assert error["pointer"] == f"/group_by/{pointer}"
    assert said in error["detail"]


def test_moves_of_all_games_are_shown_and_content_of_a_player_is_not() -> None:
    game = registered()["barbarossa"]
    hall = game.new(3, game.options_type(), FastDice(1))
    codes = [game.legal(hall, seat)[0] for seat in game.actors(hall)]
    free = game.encode(hall, 0, AskFreely(riddle=3, text="Is it blue?"))
    opening = [{"seat": 0, "code": code} for code in (*codes, free)]
    shown = _grouped_rows([{"key": {}, "opening": opening, "games": 1}], game)
    assert ["move" in move for move in shown[0]["opening"]] == [True] * len(codes) + [False]
