"""The stateless engine: a snapshot and a move in, a snapshot out."""

from random import Random
from typing import Any

import pytest
from flask.testing import FlaskClient

from games.core.dice import FastDice
from service.snapshots.engine import validate_compared
from service.snapshots.errors import SnapshotError
from service.snapshots.records import MoveCode
from tests.service.kit import PEBBLES, plays, snapshot
from tests.toy import GAME


def post(client: FlaskClient, path: str, body: Any, **headers: str) -> Any:
    answer = client.post(f"{PEBBLES}/{path}", json=body, headers=headers)
    assert answer.status_code in {200, 201}, answer.text
    return answer.json


def after_bids(client: FlaskClient, first: int = 2, second: int = 1, **body: Any) -> dict[str, Any]:
    start = snapshot(client, **body)
    bid = {"snapshot": start, "seat": 0, "move": {"kind": "bid_pebbles", "amount": first}}
    one = post(client, "moves", bid)["snapshot"]
    made: dict[str, Any] = post(client, "moves", {"snapshot": one, "seat": 1, "move": {"code": second}})["snapshot"]
    return made


def test_the_same_seed_deals_the_same_and_another_seed_differs(pebbles: FlaskClient) -> None:
    hands = {seed: snapshot(pebbles, seed=seed, seat_count=3)["table"]["hands"] for seed in "abcdefgh"}
    assert hands["a"] == snapshot(pebbles, seed="a", seat_count=3)["table"]["hands"]
    assert len({tuple(hand) for hand in hands.values()}) > 1


def test_without_a_seed_every_snapshot_gets_its_own(pebbles: FlaskClient) -> None:
    seeds = {post(pebbles, "snapshots", {"seat_count": 2})["snapshot"]["seed"] for _ in range(3)}
    assert len(seeds) == 3


def test_a_retry_of_the_same_move_gives_the_same_answer(pebbles: FlaskClient) -> None:
    for request, answer in plays(pebbles, "pebbles", snapshot(pebbles, seed="retry"), Random(1)):
        assert post(pebbles, "moves", request) == answer.json


def test_a_move_and_its_code_do_the_same(pebbles: FlaskClient) -> None:
    start = snapshot(pebbles)
    for listed in post(pebbles, "legal-moves", {"snapshot": start, "seat": 0})["moves"]:
        by_move = post(pebbles, "moves", {"snapshot": start, "seat": 0, "move": listed["move"]})
        assert by_move == post(pebbles, "moves", {"snapshot": start, "seat": 0, "move": {"code": listed["code"]}})


@pytest.mark.parametrize("ply", [0, 1, 3, 4])
def test_a_snapshot_with_an_earlier_or_later_ply_than_its_table_is_refused(pebbles: FlaskClient, ply: int) -> None:
    later = after_bids(pebbles)
    assert later["ply"] == 2
    refused: Any = pebbles.post(f"{PEBBLES}/legal-moves", json={"snapshot": {**later, "ply": ply}, "seat": 0})
    assert (refused.status_code, refused.json["code"]) == (422, "broken-snapshot")
    assert [error["pointer"] for error in refused.json["errors"]] == ["/snapshot/ply"]


def test_a_seat_that_has_nothing_to_decide_has_no_legal_move(pebbles: FlaskClient) -> None:
    listed = post(pebbles, "legal-moves", {"snapshot": after_bids(pebbles), "seat": 1})
    assert listed == {"seat": 1, "mode": "list", "count": 0, "phase": "taking", "moves": []}


def test_a_picture_is_drawn_from_a_snapshot_or_from_a_view_alike(pebbles: FlaskClient) -> None:
    start = snapshot(pebbles)
    view = post(pebbles, "views", {"snapshot": start, "seat": 1})
    from_view = pebbles.post(f"{PEBBLES}/pictures", json={"view": view})
    from_snapshot = pebbles.post(f"{PEBBLES}/pictures?theme=light", json={"snapshot": start, "seat": 1})
    assert from_view.data == from_snapshot.data
    assert from_view.data.startswith(b"<svg")
    assert from_view.data != pebbles.post(f"{PEBBLES}/pictures?theme=dark", json={"view": view}).data


def test_a_picture_is_an_svg_that_no_browser_runs(pebbles: FlaskClient) -> None:
    answer = pebbles.post(f"{PEBBLES}/pictures", json={"snapshot": snapshot(pebbles), "seat": None})
    assert answer.mimetype == "image/svg+xml"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]


def test_a_replay_by_seed_gives_the_history_that_was_played(pebbles: FlaskClient) -> None:
    played = list(plays(pebbles, "pebbles", snapshot(pebbles, seed="r"), Random(4)))
    moves = [{"seat": request["seat"], "move": request["move"]} for request, _ in played]
    history = post(pebbles, "replays", {"seat_count": 2, "seed": "r", "moves": moves})
    assert history["fits"]
    assert "misfit" not in history
    assert history["snapshot"] == played[-1][1].json["snapshot"]  # type: ignore[index]
    assert [line["events"] for line in history["moves"]] == [answer.json["events"] for _, answer in played]  # type: ignore[index]
    assert history["outcome"] == played[-1][1].json["outcome"]  # type: ignore[index]


def test_a_replay_of_recorded_draws_needs_no_seed_and_wins_over_one(pebbles: FlaskClient) -> None:
    played = list(plays(pebbles, "pebbles", snapshot(pebbles, seed="r"), Random(5)))
    moves = [{"seat": request["seat"], "move": request["move"]} for request, _ in played]
    history = post(pebbles, "replays", {"seat_count": 2, "seed": "r", "moves": moves})
    record = {
        "seat_count": 2,
        "draws": history["draws"],
        "moves": [{name: line[name] for name in ("seat", "move", "draws")} for line in history["moves"]],
    }
    for seed in ({}, {"seed": "quite another"}):
        again = post(pebbles, "replays", {**record, **seed})
        assert again["moves"] == history["moves"]
        assert again["snapshot"]["table"] == history["snapshot"]["table"]
    assert post(pebbles, "replays", record) == post(pebbles, "replays", record)


@pytest.mark.parametrize(
    ("draws", "reason"),
    [
        ([{"what": "card", "value": 9}], "impossible here"),
        ([{"what": "weather", "value": 1}], "impossible here"),
        ([{"what": "card", "value": 1}, {"what": "card", "value": 2}, {"what": "card", "value": 3}], "impossible here"),
        ([{"what": "card", "value": 1}, {"what": "card", "value": 1}], "impossible here"),
    ],
    ids=["a card that there is not", "a purpose that there is not", "one too many", "the same card twice"],
)
def test_an_impossible_set_up_is_refused(pebbles: FlaskClient, draws: list[dict[str, Any]], reason: str) -> None:
    answer = pebbles.post(f"{PEBBLES}/replays", json={"seat_count": 2, "draws": draws, "moves": []})
    assert answer.status_code == 422
    assert answer.json is not None
    assert answer.json["code"] == "unfit-draw"
    assert answer.json["errors"][0]["pointer"] == "/draws"
    assert reason in answer.json["errors"][0]["detail"]


def test_integral_floats_are_integers(pebbles: FlaskClient) -> None:
    body = '{"seat_count": 2.0, "seed": "f", "options": {"heap": 1.2e1}}'
    answer = pebbles.post(f"{PEBBLES}/snapshots", data=body, content_type="application/json")
    assert answer.status_code == 201
    assert answer.json is not None
    assert answer.json["snapshot"] == snapshot(pebbles, seed="f", options={"heap": 12})


def test_a_compared_move_is_legal_and_has_no_content_of_a_player(monkeypatch: pytest.MonkeyPatch) -> None:
    table = GAME.new(2, GAME.options_type(), FastDice(1))
    code = GAME.legal(table, 0)[0]
    assert validate_compared(GAME, table, 0, MoveCode(code=code), "en") == code
    with pytest.raises(SnapshotError) as unknown:
        validate_compared(GAME, table, 0, MoveCode(code=10**6), "en")
    monkeypatch.setattr(type(GAME), "content", lambda *_: "a word")
    with pytest.raises(SnapshotError) as own:
        validate_compared(GAME, table, 0, MoveCode(code=code), "en")
    refused = [(error.value.code, [fault.pointer for fault in error.value.errors]) for error in (unknown, own)]
    assert refused == [("invalid-move", ["/compare/code"]), ("invalid-move", ["/compare"])]
