"""Chance at open snapshots: possible results with their odds, and moves that force them."""

from typing import Any

import pytest
from flask.testing import FlaskClient

from games.core.registry import registered
from tests.service.kit import application

WICHTEL = "/v1/games/wichtel"


@pytest.fixture(scope="module")
def client() -> FlaskClient:
    return application(registered()).test_client()


def post(client: FlaskClient, path: str, body: Any) -> Any:
    return client.post(f"{WICHTEL}/{path}", json=body).json


def calling(client: FlaskClient) -> dict[str, Any]:
    """Return a body whose move draws a gnome: a snapshot, its seat on turn, and a call."""
    asked: dict[str, Any] = post(client, "snapshots", {"seat_count": 3, "seed": "rowan"})
    for _ in range(60):
        at = {"snapshot": asked["snapshot"], "seat": asked["actors"][0]}
        moves = post(client, "legal-moves", at)["moves"]
        calls = [row["move"] for row in moves if row["move"]["kind"] == "call_gnome"]
        if calls:
            return {**at, "move": calls[0]}
        asked = post(client, "moves", {**at, "move": moves[0]["move"]})
    raise AssertionError


def test_each_outcome_with_its_odds_can_be_forced_and_nothing_else(client: FlaskClient) -> None:
    body = calling(client)
    draw = post(client, "chance", body)["draw"]
    assert draw["what"] == "drawn_gnome"
    assert sum(row["ways"] for row in draw["possible"]) == draw["of"]
    assert sum(row["probability"] for row in draw["possible"]) == pytest.approx(1)
    values = [row["value"] for row in draw["possible"]]
    assert len(set(values)) == len(values) > 1
    snapshots = []
    for value in values:
        draws = [{"what": draw["what"], "value": value}]
        while (more := post(client, "chance", {**body, "draws": draws})["draw"]) is not None:
            draws.append({"what": more["what"], "value": more["possible"][0]["value"]})
        made = post(client, "moves", {**body, "draws": draws})
        assert made["draws"] == draws
        snapshots.append(str(made["snapshot"]["table"]))
        over = client.post(f"{WICHTEL}/chance", json={**body, "draws": [*draws, draws[-1]]})
        assert (over.status_code, over.json["code"]) == (422, "unfit-draw")  # type: ignore[index]
    assert len(set(snapshots)) == len(values)
    for draws in ([], [{"what": draw["what"], "value": "ogre"}], [{"what": "gnome_die", "value": values[0]}]):
        refused = client.post(f"{WICHTEL}/moves", json={**body, "draws": draws})
        assert refused.status_code == 422
        assert refused.json is not None
        assert refused.json["code"] == "unfit-draw"


def test_a_move_that_draws_nothing_needs_no_draws(client: FlaskClient) -> None:
    asked = post(client, "snapshots", {"seat_count": 3, "seed": "rowan"})
    for _ in range(20):
        at = {"snapshot": asked["snapshot"], "seat": asked["actors"][0]}
        body = {**at, "move": post(client, "legal-moves", at)["moves"][0]["move"]}
        asked = post(client, "moves", body)
        if post(client, "chance", body)["draw"] is None:
            assert asked["draws"] == []
            assert post(client, "moves", {**body, "draws": []}) == asked
            return
    raise AssertionError


def test_nobody_forces_or_foresees_the_chance_of_a_sealed_snapshot(client: FlaskClient) -> None:
    made: Any = client.post(f"{WICHTEL}/snapshots?sealed=true", json={"seat_count": 3}).json
    seat = made["actors"][0]
    key = {"Seat-Key": made["seat_keys"][seat]["key"]}
    at = {"snapshot": made["snapshot"], "seat": seat}
    listed: Any = client.post(f"{WICHTEL}/legal-moves", json=at, headers=key).json
    body = {**at, "move": listed["moves"][0]["move"], "draws": []}
    for path, pointer in (("moves", "/draws"), ("chance", "/snapshot/sealed")):
        refused: Any = client.post(f"{WICHTEL}/{path}", json=body, headers=key)
        assert refused.status_code == 422
        assert refused.json["errors"][0]["pointer"] == pointer


def test_a_draw_out_of_a_thousand_million_is_told_without_naming_each(client: FlaskClient) -> None:
    """Fingers knead a riddle with a large number: naming each value would take minutes and all memory."""
    barbarossa = "/v1/games/barbarossa"
    made: Any = client.post(f"{barbarossa}/snapshots", json={"seat_count": 3, "seed": "rowan"}).json
    at = {"snapshot": made["snapshot"], "seat": made["actors"][0]}
    moves: Any = client.post(f"{barbarossa}/legal-moves", json=at).json
    body = {**at, "move": moves["moves"][0]["move"], "draws": []}
    shown: Any = client.post(f"{barbarossa}/chance", json=body).json
    assert shown["draw"] == {"what": "fingers", "of": 1_000_000_000, "possible": []}
    body["draws"].append({"what": "fingers", "value": 999_999_999})
    again: Any = client.post(f"{barbarossa}/chance", json=body).json
    assert again == shown
    body["draws"].append({"what": "fingers", "value": 1_000_000_000})
    refused: Any = client.post(f"{barbarossa}/chance", json=body)
    assert (refused.status_code, refused.json["code"]) == (422, "unfit-draw")
