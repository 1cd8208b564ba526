"""The stateless engine: a snapshot and a move in, a snapshot out."""

from random import Random
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.service.kit import PEBBLES, plays, snapshot


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


def test_a_new_snapshot_is_open_and_names_its_game_ruleset_ply_seed_and_actors(pebbles: FlaskClient) -> None:
    made = post(pebbles, "snapshots", {"seat_count": 3, "seed": "s", "options": {"heap": 12}})
    assert made["actors"] == [0, 1, 2]
    frame = {name: made["snapshot"][name] for name in ("game", "ruleset", "ply", "sealed", "seed")}
    assert frame == {"game": "pebbles", "ruleset": "pebbles/1", "ply": 0, "sealed": False, "seed": "s"}
    assert made["snapshot"]["table"]["heap"] == 12


def test_the_same_seed_deals_the_same_and_another_seed_differs(pebbles: FlaskClient) -> None:
    hands = {seed: snapshot(pebbles, seed=seed, seat_count=3)["table"]["hands"] for seed in "abcdefgh"}
    assert hands["a"] == snapshot(pebbles, seed="a", seat_count=3)["table"]["hands"]
    assert len({tuple(hand) for hand in hands.values()}) > 1


def test_without_a_seed_every_snapshot_gets_its_own(pebbles: FlaskClient) -> None:
    seeds = {post(pebbles, "snapshots", {"seat_count": 2})["snapshot"]["seed"] for _ in range(3)}
    assert len(seeds) == 3


def test_whole_games_can_be_played_over_http(pebbles: FlaskClient) -> None:
    for number in range(5):
        *_, (_, last) = plays(pebbles, "pebbles", snapshot(pebbles, seed=f"game {number}"), Random(number))
        assert last.json is not None
        assert last.json["actors"] == []
        assert sorted(last.json["outcome"]["rewards"]) == [0, 1]
        assert last.json["outcome"]["headline"]


def test_a_retry_of_the_same_move_gives_the_same_answer(pebbles: FlaskClient) -> None:
    for request, answer in plays(pebbles, "pebbles", snapshot(pebbles, seed="retry"), Random(1)):
        assert post(pebbles, "moves", request) == answer.json


def test_a_move_and_its_code_do_the_same(pebbles: FlaskClient) -> None:
    start = snapshot(pebbles)
    for listed in post(pebbles, "legal-moves", {"snapshot": start, "seat": 0})["moves"]:
        by_move = post(pebbles, "moves", {"snapshot": start, "seat": 0, "move": listed["move"]})
        assert by_move == post(pebbles, "moves", {"snapshot": start, "seat": 0, "move": {"code": listed["code"]}})


def test_validate_only_changes_nothing(pebbles: FlaskClient) -> None:
    start = snapshot(pebbles)
    checked = post(pebbles, "moves?validate_only=true", {"snapshot": start, "seat": 0, "move": {"code": 1}})
    assert checked == {"snapshot": start, "events": [], "draws": [], "actors": [0, 1]}


def test_legal_moves_are_listed_in_both_faces_with_a_label_in_the_reader_s_language(pebbles: FlaskClient) -> None:
    body = {"snapshot": after_bids(pebbles), "seat": 0}
    english = post(pebbles, "legal-moves", body)
    german = post(pebbles, "legal-moves", body, **{"Accept-Language": "de-AT, en;q=0.5"})
    assert english["moves"][0] == {
        "code": 9,
        "move": {"kind": "take_pebbles", "amount": 1},
        "label": "Take one pebble",
        "refs": ["headline"],
        "index": 3,
        "group": "take_pebbles:amount",
    }
    form = {"type": "number", "field": "amount", "minimum": 1, "maximum": 3, "step": 1, "default": 1}
    assert english["groups"][0] == {"key": "take_pebbles:amount", "label": "Take pebbles", "form": form}
    assert german["groups"][0]["label"] == "Kiesel nehmen"
    assert german["moves"][0]["label"] == "einen Kiesel nehmen"
    assert (english["seat"], english["mode"], english["count"]) == (0, "list", len(english["moves"]))


def test_a_seat_that_has_nothing_to_decide_has_no_legal_move(pebbles: FlaskClient) -> None:
    listed = post(pebbles, "legal-moves", {"snapshot": after_bids(pebbles), "seat": 1})
    assert listed == {"seat": 1, "mode": "list", "count": 0, "phase": "taking", "moves": []}


def test_events_come_all_each_with_its_hearers_and_a_sentence(pebbles: FlaskClient) -> None:
    one = post(pebbles, "moves", {"snapshot": snapshot(pebbles), "seat": 0, "move": {"code": 2}})
    assert one["events"] == [
        {"event": {"kind": "pebble_bid_given", "seat": 0, "amount": 2}, "text": "Anna bids 2.", "hearers": [0]}
    ]
    two = post(pebbles, "moves", {"snapshot": one["snapshot"], "seat": 1, "move": {"code": 1}})
    assert two["events"][1]["event"] == {"kind": "pebble_bids_opened", "bids": [2, 1], "turn": 0}
    assert two["events"][1]["hearers"] == [0, 1, "spectators"]


def test_results_of_chance_are_named(pebbles: FlaskClient) -> None:
    current = after_bids(pebbles)
    card = current["table"]["hands"][0]
    made = post(pebbles, "moves", {"snapshot": current, "seat": 0, "move": {"kind": "play_pebble_card", "card": card}})
    assert made["draws"] == [{"what": "card", "value": made["snapshot"]["table"]["hands"][0]}]


def test_a_view_shows_a_seat_its_own_secrets_and_nobody_else_s(pebbles: FlaskClient) -> None:
    one = post(pebbles, "moves", {"snapshot": snapshot(pebbles), "seat": 0, "move": {"code": 2}})["snapshot"]
    own = post(pebbles, "views", {"snapshot": one, "seat": 0})
    other = post(pebbles, "views", {"snapshot": one, "seat": 1})
    public = post(pebbles, "views", {"snapshot": one, "seat": None})
    assert (own["card"], own["bids"], own["ply"]) == (one["table"]["hands"][0], [2, None], 1)
    assert (other["card"], other["bids"], other["ply"]) == (one["table"]["hands"][1], [None, None], 0)
    assert (public["card"], public["bids"], public["seat"]) == (None, [None, None], None)


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


def test_a_replay_tells_the_first_move_that_does_not_fit(pebbles: FlaskClient) -> None:
    moves = [{"seat": 0, "move": {"code": 1}}, {"seat": 1, "move": {"code": 1}}, {"seat": 0, "move": {"code": 1}}]
    history = post(pebbles, "replays", {"seat_count": 2, "seed": "r", "moves": moves}, **{"Accept-Language": "it"})
    assert not history["fits"]
    assert len(history["moves"]) == history["misfit"]["index"] == 2
    problem = history["misfit"]["problem"]
    assert (problem["code"], problem["status"]) == ("illegal-move", 422)
    fault = {
        "in": "body",
        "pointer": "/moves/2/move/code",
        "rule": "PB-2",
        "rule_url": "/docs/rules/PB-2",
        "detail": "Le offerte sono finite.",
    }
    assert problem["errors"] == [fault]


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
