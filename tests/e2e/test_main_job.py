"""The main job, with nothing but HTTP: a whole game against bots, advice in the middle of it, a thousand games."""

import time
from collections.abc import Iterator
from http import HTTPStatus
from itertools import pairwise
from typing import Any

import httpx
import pytest

from tests.launch.kit import http_client

GAME = "/v1/games/hoher-rat"
SEATS = [{"kind": "human", "name": "Aine"}] + [{"kind": "bot", "bot": {"level": "greedy"}}] * 3
EAGERLY = (
    *("promote_follower", "place_speaker", "place_follower", "claim_field", "convince"),
    *("discuss", "play_trilith", "return_card", "ponder", "confer", "end_turn"),
)
"""The kinds of moves, the best for bringing pieces to the ring first."""
MIDDLE = 20
"""The turn of the request for advice."""


@pytest.fixture(scope="module")
def client(service: str) -> Iterator[httpx.Client]:
    with http_client(base_url=service) as client:
        yield client


@pytest.fixture(scope="module")
def table(client: httpx.Client) -> dict[str, Any]:
    """Return a session of four, three of them bots, played to its end, with the records on the way."""
    body = {"game": "hoher-rat", "seats": SEATS, "options": {"turn_cap": 150}}
    made = client.post("/v1/sessions", json=body).raise_for_status().json()
    me = {"Authorization": f"Bearer {made['seats'][0]['token']}"}
    here, seen = made["links"], list[dict[str, Any]]()
    query = {"expand": "legal_moves", "wait": "10"}
    answer = client.get(here["session"], headers=me, params=query)
    while True:
        if answer.status_code != HTTPStatus.NOT_MODIFIED:
            session = answer.raise_for_status().json()
            seen.append(session)
            if session["status"] != "running":
                break
            known = answer.headers["ETag"]
            if 0 in session["actors"]:
                seen.append(client.get(here["session"], headers=me, params=query).raise_for_status().json())
                moves = [listed["move"] for listed in session["legal_moves"]["moves"]]
                move = min(moves, key=lambda move: EAGERLY.index(move["kind"]))
                headers = {**me, "If-Match": known}
                client.post(here["moves"], headers=headers, json={"move": move}).raise_for_status()
        answer = client.get(here["session"], headers={**me, "If-None-Match": known}, params=query)
    history = client.get(here["history"], headers=me).raise_for_status().json()
    return {"seen": seen, "history": history, "me": me, "links": here}


def run_job(client: httpx.Client, kind: str, body: dict[str, Any]) -> dict[str, Any]:
    answer = client.post(f"/v1/jobs/{kind}", json=body)
    assert answer.status_code == 202, answer.text
    job: dict[str, Any] = answer.json()
    while job["state"] in {"queued", "running"}:
        time.sleep(0.1)
        job = client.get(answer.headers["Location"]).raise_for_status().json()
    assert job["state"] == "succeeded", job
    assert job["progress"]["done"] == job["progress"]["total"]
    return job


def test_a_whole_game_against_bots_is_played_to_its_end(table: dict[str, Any]) -> None:
    last = table["seen"][-1]
    assert last["status"] == "finished"
    assert last["actors"] == []
    assert last["outcome"]["rewards"] in ([1, 0, 1, 0], [0, 1, 0, 1], [0.5, 0.5, 0.5, 0.5])
    assert last["outcome"]["headline"] == last["headline"]
    assert last["view"]["winner"] == {1: "pro", 0: "contra", 0.5: "draw"}[last["outcome"]["rewards"][0]]


def test_versions_only_grow_and_a_new_one_shows_something_new(table: dict[str, Any]) -> None:
    seen = table["seen"]
    for before, after in pairwise(seen):
        assert after["version"] >= before["version"]
        assert (after["version"] == before["version"]) == (after["view"] == before["view"])


def test_the_history_is_whole_after_the_end_and_replays(client: httpx.Client, table: dict[str, Any]) -> None:
    history = table["history"]
    assert history["complete"] is True
    moves = [
        {"seat": line["seat"], "move": {"code": line["code"]}, "draws": line["draws"]}
        for line in history["lines"]
        if "move" in line
    ]
    assert {line["seat"] for line in moves} == {0, 1, 2, 3}
    record = {"seat_count": 4, "options": history["options"], "draws": history["draws"], "moves": moves}
    replay = client.post(f"{GAME}/replays", json=record).raise_for_status().json()
    assert replay["fits"] is True
    assert replay["outcome"]["rewards"] == table["seen"][-1]["outcome"]["rewards"]
    shown = client.post(f"{GAME}/views", json={"snapshot": replay["snapshot"], "seat": 0}).raise_for_status().json()
    assert shown == table["seen"][-1]["view"]


def test_a_position_of_the_middle_game_is_searched(client: httpx.Client, table: dict[str, Any]) -> None:
    middle = next(seen for seen in table["seen"] if 0 in seen["actors"] and seen["view"]["turns"] >= MIDDLE)
    budget = {"iterations": 300}
    body = {"game": "hoher-rat", "view": middle["view"], "budget": budget, "seed": "advice"}
    first, again = (run_job(client, "searches", body)["result"] for _ in range(2))
    assert first == again
    assert first["seat"] == 0
    assert first["iterations"] == 300
    legal = {listed["code"]: listed["label"] for listed in middle["legal_moves"]["moves"]}
    assert {line["code"]: line["label"] for line in first["moves"]} == legal
    assert sum(line["share"] for line in first["moves"]) == pytest.approx(1, abs=1e-3)
    assert all(low <= line["value"] <= high for line in first["moves"] for low, high in [line["interval"]])


def test_a_thousand_games_are_simulated(client: httpx.Client) -> None:
    body = {"game": "hoher-rat", "seats": [{"bot": {"level": "random"}}] * 2, "games": 1000, "seed": "a thousand"}
    job = run_job(client, "simulations", body)
    assert job["progress"] == {"done": 1000, "total": 1000}
    first, second = job["result"]["bots"]
    assert first["games"] == second["games"] == 1000
    assert first["wins"] + second["wins"] + first["shared"] == 1000
    assert [seat["games"] for seat in first["by_seat"]] == [500, 500]
    assert all(low < bot["win_rate"] < high for bot in (first, second) for low, high in [bot["interval"]])
    assert first["interval"][1] - first["interval"][0] < 0.07


@pytest.mark.parametrize(
    ("game", "seats", "games"),
    [("hoher-rat", 2, 6), ("hoher-rat", 4, 6), ("wichtel", 3, 3), ("gartenzwerge", 3, 3), ("barbarossa", 3, 3)],
)
def test_every_game_has_tournaments(client: httpx.Client, game: str, seats: int, games: int) -> None:
    entrants = [{"bot": {"level": "random"}, "name": name} for name in ("crow", "lark", "wren")]
    body = {"game": game, "seat_count": seats, "entrants": entrants, "games": games, "seed": "all four"}
    job = run_job(client, "tournaments", body)
    assert job["progress"] == {"done": games, "total": games}
    birds = job["result"]["entrants"]
    assert [bird["name"] for bird in birds] == ["crow", "lark", "wren"]
    assert len({bird["games"] for bird in birds}) == 1
    assert [len(part) for part in (job["result"]["by_seat"], birds[0]["by_seat"])] == [seats, seats]
    assert min(bird["place"] for bird in birds) == 1
    assert client.get(f"/v1/jobs/{job['id']}/chart").text.startswith("<svg")


def test_a_look_ahead_wins_more_often(client: httpx.Client) -> None:
    until = {"half_width": 0.1, "max_games": 200}
    body = {
        "game": "hoher-rat",
        "seats": [{"bot": {"level": "greedy"}}, {"bot": {"level": "random"}}],
        "until": until,
        "seed": "ahead",
    }
    greedy, random = run_job(client, "simulations", body)["result"]["bots"]
    assert (greedy["bot"], random["bot"]) == ("greedy", "random")
    assert greedy["interval"][0] > random["interval"][1]
    assert greedy["interval"][1] - greedy["interval"][0] <= 0.2
    assert greedy["games"] < 200
