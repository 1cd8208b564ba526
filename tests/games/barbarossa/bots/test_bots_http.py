"""Advice and bots over HTTP: a search tells what it takes riddles for, and bots play sessions and simulations."""

from typing import Any

import msgspec
import pytest
from flask.testing import FlaskClient
from redis import Redis

from games.barbarossa.bots.adviser import hypotheses
from games.barbarossa.options import WizardOptions
from games.barbarossa.table.codes import MODEL, ROLL, modelled, term_of
from games.barbarossa.table.codes import code as code_of
from games.barbarossa.table.phases import FIRST_ROUND
from games.core.registry import registered
from games.search.advise import choose
from service.jobs import queues
from tests.games.barbarossa.bots.games import Decision, decisions
from tests.games.barbarossa.positions import opening
from tests.service.kit import application
from tests.workers import jobs
from workers.sessions.bot_turns import IllegalAdvice, checked

GAME = registered()["barbarossa"]


@pytest.fixture
def client(redis_url: str) -> FlaskClient:
    return application({GAME.slug: GAME}, redis_url).test_client()


def asking() -> Decision:
    return next(
        each
        for each in decisions(4, WizardOptions(), 3)
        if each.hall.phase == FIRST_ROUND and each.seat == each.hall.turn and each.hall.questions == 1
    )


def search_over_http(client: FlaskClient, redis_client: Redis, decision: Decision, **budget: int) -> Any:
    """Return the result of a search job over HTTP for a due decision."""
    seen = msgspec.to_builtins(GAME.view(decision.hall, decision.seat))
    order = {"game": GAME.slug, "view": seen, "budget": budget, "seed": "ravens"}
    answer = client.post("/v1/jobs/searches", json=order)
    assert answer.status_code == 202, answer.text
    assert jobs.search_all(redis_client) > 0
    told: Any = client.get(answer.headers["Location"]).json
    assert told["state"] == "succeeded", told
    return told["result"]


def test_a_search_tells_likely_terms_and_the_worth_of_questions(client: FlaskClient, redis_client: Redis) -> None:
    decision = asking()
    told = search_over_http(client, redis_client, decision, iterations=30)
    seen = GAME.view(decision.hall, decision.seat)
    assert told["hunches"] == msgspec.to_builtins(hypotheses(seen))  # type: ignore[arg-type]  # the game's own view
    questions = [row for row in told["moves"] if row["move"]["kind"] == "ask_about"]
    assert len(questions) > 100
    assert all(row["label"] and row["interval"] == [row["value"]] * 2 for row in questions)
    values = [row["value"] for row in told["moves"]]
    assert values == sorted(values, reverse=True)
    assert (told["iterations"], told["worlds"]) == (30, 0)
    assert told["legal_moves"] == len(decision.hall.legal(decision.seat))


def test_time_is_not_spent_on_advice_that_is_settled(client: FlaskClient, redis_client: Redis) -> None:
    told = search_over_http(client, redis_client, asking(), milliseconds=20_000)
    assert 0 < told["iterations"] <= 64


def test_a_simulation_of_bots_of_all_levels_comes_to_its_end(client: FlaskClient, redis_client: Redis) -> None:
    seats = [{"bot": {"level": level}} for level in ("expert", "hard", "medium", "easy")]
    answer = client.post("/v1/jobs/simulations", json={"game": GAME.slug, "seats": seats, "games": 1, "seed": "s"})
    assert answer.status_code == 202, answer.text
    jobs.work(redis_client, queues.BULK)
    told: Any = client.get(answer.headers["Location"]).json
    assert told["state"] == "succeeded"
    assert told["result"]["games"] == 1


@pytest.mark.rule("BR-D1", "BR-D43")
def test_a_session_takes_a_bots_modelling_that_no_list_holds_and_no_other() -> None:
    table = opening(3)
    code = choose(GAME, GAME.view(table, 0), "hard", 1)
    assert code not in GAME.legal(table, 0)
    assert checked(0, code)(GAME, table) == code
    term = term_of(code, 0)
    twice = MODEL | sum(int(modelled(index, term, 10)) for index in range(3))
    for wrong in (twice, int(code_of(ROLL, 0, 0)), 2**45):
        with pytest.raises(IllegalAdvice):
            checked(0, wrong)(GAME, table)
