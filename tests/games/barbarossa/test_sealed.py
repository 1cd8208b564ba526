"""Sculptures at sealed tables: each seat has room for its own, and neither length nor refusal tells of others'."""

from typing import Any

import pytest
from flask.testing import FlaskClient

from games.barbarossa import GAME
from games.barbarossa.moves import AttemptRiddle
from tests.service.kit import application

BARBAROSSA = "/v1/games/barbarossa"
LUMP = {"s": "ball", "r": [5, 10, 15], "z": [0.05, 0.06, 0.07]}
CLAY = {
    "format": "clay/1",
    "parts": [{**LUMP, "p": [round(place / 100 - 0.24, 2), 0.01, round(0.25 + place / 100, 2)]} for place in range(48)],
}
INK = {
    "format": "strokes/1",
    "strokes": [[[400 + 7 * place % 80, 500 - 5 * place % 60 + line] for place in range(100)] for line in range(20)],
}
ZIGZAG = {"format": "strokes/1", "strokes": [[[place % 2 * 1023, 1023 - place % 2 * 1023] for place in range(2000)]]}
KNEADED = {"format": "kneaded", "explicitness": 0}


@pytest.fixture(scope="module")
def client() -> FlaskClient:
    return application({"barbarossa": GAME}).test_client()


def modelled(client: FlaskClient, table: dict[str, Any], seat: int, piece: Any) -> Any:
    riddles = [{"term": f"{column}{seat + 1}", "piece": piece} for column in "bdf"]
    body = {"snapshot": table["snapshot"], "seat": seat, "move": {"kind": "model_riddles", "riddles": riddles}}
    answer = client.post(f"{BARBAROSSA}/moves", json=body, headers={"Seat-Key": table["seat_keys"][seat]["key"]})
    if answer.status_code == 200:
        table["snapshot"] = answer.json["snapshot"]  # type: ignore[index]
    return answer


def sealed(client: FlaskClient) -> dict[str, Any]:
    made: Any = client.post(f"{BARBAROSSA}/snapshots?sealed=true", json={"seat_count": 3}).json
    return dict(made)


@pytest.mark.parametrize("piece", [CLAY, INK], ids=["48 lumps", "2,000 points"])
def test_every_seat_may_model_three_pieces_as_large_as_they_may_be(client: FlaskClient, piece: dict[str, Any]) -> None:
    table = sealed(client)
    lengths = {len(table["snapshot"]["token"])}
    for seat in range(3):
        assert modelled(client, table, seat, piece).status_code == 200
        lengths.add(len(table["snapshot"]["token"]))
    assert len(lengths) == 1
    shown: Any = client.post(f"{BARBAROSSA}/views", json={"snapshot": table["snapshot"], "seat": None}).json
    assert [exhibit["piece"] for exhibit in shown["riddles"]] == [piece] * 9


@pytest.mark.parametrize("others", [CLAY, KNEADED], ids=["others model much", "others model little"])
def test_a_seats_room_is_independent_of_others_riddles(client: FlaskClient, others: Any) -> None:
    table = sealed(client)
    for seat in (0, 2):
        assert modelled(client, table, seat, others).status_code == 200
    refused = modelled(client, table, 1, ZIGZAG)
    assert (refused.status_code, refused.json["code"]) == (422, "own-content-spent")
    assert modelled(client, table, 1, CLAY).status_code == 200


def test_an_attempt_by_coordinate_takes_no_room_for_content_of_one_s_own() -> None:
    assert not GAME.brings_content(AttemptRiddle(riddle=3, guess="a1"))
    assert GAME.brings_content(AttemptRiddle(riddle=3, guess="so ein Dings"))
