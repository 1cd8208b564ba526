"""Records of earlier rulesets are read as today's; records of none are refused with their place."""

from random import Random
from typing import Any

import pytest
from flask.testing import FlaskClient

from games.core.evolution import Migration, UnknownRulesetError, UnreadableError, chain
from games.core.game import Game
from games.core.registry import registered
from service.app import create_app
from service.settings import Settings
from tests.evolution.pebbles import GAME, SHIFT
from tests.service.kit import NOWHERE, PEBBLES, plays, snapshot
from tests.toy import GAME as ONE

STEPS = (
    Migration(
        earlier="g/1",
        later="g/2",
        move=lambda tree: {**tree, "kind": "b"},
        code=lambda code: code + 1,
        content=lambda code, content: f"{content}, made by {code}",
    ),
    Migration(
        earlier="g/2",
        later="g/3",
        options=lambda tree: {**tree, "c": tree["b"]},
        code=lambda code: code * 10,
        content=lambda code, content: f"{content}, then {code}",
    ),
)


def client_of(game: Game) -> FlaskClient:
    """Return a client of a service that plays one game, and opens what others of these have sealed."""
    settings = Settings(
        redis_url=NOWHERE, log_level="critical", snapshot_keys=("a secret that both services have in common",)
    )
    return create_app(settings, {game.slug: game}).test_client()


@pytest.fixture(scope="module")
def one() -> FlaskClient:
    return client_of(ONE)


@pytest.fixture(scope="module")
def two() -> FlaskClient:
    return client_of(GAME)


def test_migrations_follow_one_another_from_the_ruleset_that_wrote() -> None:
    assert chain(STEPS, "g/1", "g/3").code(4) == 50
    assert chain(STEPS, "g/2", "g/3").code(4) == 40
    assert chain(STEPS, "g/3", "g/3").code(4) == 4
    assert chain(STEPS, "g/1", "g/3").content(4, "clay") == "clay, made by 4, then 5"
    assert chain(STEPS, "g/3", "g/3").content(4, "clay") == "clay"
    assert chain(STEPS, "g/1", "g/3").move({"kind": "a", "x": 1}) == {"kind": "b", "x": 1}


@pytest.mark.parametrize(("earlier", "today"), [("g/0", "g/3"), ("g/3", "g/2"), ("g/4", "g/3"), ("", "g/3")])
def test_where_no_way_leads_to_today_the_ruleset_is_unknown(earlier: str, today: str) -> None:
    with pytest.raises(UnknownRulesetError) as caught:
        chain(STEPS, earlier, today)
    assert caught.value.ruleset == earlier


def test_migrations_in_a_circle_lead_nowhere() -> None:
    circle = (Migration(earlier="g/1", later="g/2"), Migration(earlier="g/2", later="g/1"))
    with pytest.raises(UnknownRulesetError):
        chain(circle, "g/1", "g/3")


@pytest.mark.parametrize("tree", [None, 7, "x", [], {}])
def test_values_that_a_ruleset_never_wrote_are_unreadable(tree: Any) -> None:
    with pytest.raises(UnreadableError):
        chain(STEPS, "g/2", "g/3").options(tree)


@pytest.mark.parametrize("game", [GAME, *registered().values()], ids=lambda game: game.slug)
def test_every_ruleset_that_a_game_says_it_reads_leads_to_today_s(game: Game) -> None:
    assert len(set(game.rulesets)) == len(game.rulesets)
    for ruleset in game.rulesets:
        assert ruleset.startswith(f"{game.slug}/")
        game.since(ruleset)


def test_a_game_names_all_rulesets_that_it_reads(two: FlaskClient) -> None:
    described: Any = two.get(PEBBLES).json
    assert (described["ruleset"], described["rulesets"]) == ("pebbles/2", ["pebbles/2", "pebbles/1"])


def test_a_snapshot_of_an_earlier_ruleset_is_played_by_its_rules(one: FlaskClient, two: FlaskClient) -> None:
    begun = snapshot(one, seed="old")
    *_, (_, answer) = [play for play, _ in zip(plays(one, "pebbles", begun, Random(1)), range(2), strict=False)]
    assert answer.json is not None
    old, (seat,) = answer.json["snapshot"], answer.json["actors"]
    before: Any = one.post(f"{PEBBLES}/views", json={"snapshot": old, "seat": seat}).json
    shown: Any = two.post(f"{PEBBLES}/views", json={"snapshot": old, "seat": seat}).json
    assert shown == {**before, "ruleset": "pebbles/2", "most": 3}
    for amount in (3, 1):
        body = {"snapshot": old, "seat": seat, "move": {"kind": "take_pebbles", "amount": amount}}
        here, there = (client.post(f"{PEBBLES}/moves", json=body).json for client in (one, two))
        assert here is not None
        assert there is not None
        assert (there["snapshot"]["ruleset"], there["snapshot"]["table"]["most"]) == ("pebbles/2", 3)
        known = {name: part for name, part in there["snapshot"]["table"].items() if name != "most"}
        assert known == here["snapshot"]["table"]
    assert snapshot(two)["table"]["most"] == 2


def test_a_snapshot_sealed_by_an_earlier_ruleset_is_played_by_its_keys(one: FlaskClient, two: FlaskClient) -> None:
    made: Any = one.post(f"{PEBBLES}/snapshots?sealed=true", json={"seat_count": 2}).json
    sealed, keys = made["snapshot"], [{"Seat-Key": entry["key"]} for entry in made["seat_keys"]]
    assert sealed["ruleset"] == "pebbles/1"
    for seat in (0, 1):
        shown: Any = two.post(f"{PEBBLES}/views", json={"snapshot": sealed, "seat": seat}, headers=keys[seat]).json
        assert (shown["ruleset"], shown["most"]) == ("pebbles/2", 3)
        body = {"snapshot": sealed, "seat": seat, "move": {"kind": "bid_pebbles", "amount": seat}}
        moved: Any = two.post(f"{PEBBLES}/moves", json=body, headers=keys[seat]).json
        sealed = moved["snapshot"]
        assert (sealed["ruleset"], sealed["sealed"]) == ("pebbles/2", True)
    assert moved["actors"] == [1]
    assert two.post(f"{PEBBLES}/views", json={"snapshot": sealed, "seat": 1}, headers=keys[0]).status_code == 403


def test_a_snapshot_that_its_ruleset_has_never_written_is_refused_with_its_place(two: FlaskClient) -> None:
    old = {"game": "pebbles", "ruleset": "pebbles/1", "ply": 0, "sealed": False, "seed": "x", "table": {}}
    for table, pointer, rule in (({}, "/snapshot/table", None), (None, "/snapshot/table", None)):
        answer = two.post(f"{PEBBLES}/views", json={"snapshot": {**old, "table": table}, "seat": 0})
        assert answer.json is not None
        assert (answer.status_code, answer.json["code"]) == (422, "broken-snapshot")
        assert answer.json["errors"][0]["pointer"].startswith(pointer)
        assert answer.json["errors"][0].get("rule") is rule


@pytest.mark.parametrize("ruleset", ["pebbles/0", "pebbles/3", "chess/1"])
def test_a_ruleset_that_is_not_read_is_named_and_so_are_those_that_are(two: FlaskClient, ruleset: str) -> None:
    given = {**snapshot(two), "ruleset": ruleset}
    answer = two.post(f"{PEBBLES}/views", json={"snapshot": given, "seat": 0})
    assert answer.json is not None
    assert (answer.status_code, answer.json["code"]) == (422, "unknown-ruleset")
    (error,) = answer.json["errors"]
    assert (error["pointer"], error["detail"]) == (
        "/snapshot/ruleset",
        "Must be one of: pebbles/2, pebbles/1.",
    )


def record_of(client: FlaskClient, *, by_code: bool) -> tuple[dict[str, Any], Any]:
    begun: Any = client.post(f"{PEBBLES}/replays", json={"seat_count": 2, "seed": "old", "moves": []}).json
    moves, last = [], None
    for request, answer in plays(client, "pebbles", snapshot(client, seed="old"), Random(3)):
        last = answer.json
        assert last is not None
        move = request["move"]
        if by_code:
            listed: Any = client.post(f"{PEBBLES}/legal-moves", json={k: request[k] for k in ("snapshot", "seat")}).json
            move = next({"code": each["code"]} for each in listed["moves"] if each["move"] == move)
        moves.append({"seat": request["seat"], "move": move, "draws": last["draws"]})
    return {"seat_count": 2, "ruleset": "pebbles/1", "draws": begun["draws"], "moves": moves}, last


@pytest.mark.parametrize("by_code", [True, False], ids=["by codes", "by moves"])
def test_a_record_of_an_earlier_ruleset_replays_alike(one: FlaskClient, two: FlaskClient, *, by_code: bool) -> None:
    record, last = record_of(one, by_code=by_code)
    assert one.post(f"{PEBBLES}/replays", json=record).json["fits"] is True  # type: ignore[index]
    replay: Any = two.post(f"{PEBBLES}/replays", json=record).json
    assert (replay["fits"], replay["outcome"]["rewards"]) == (True, last["outcome"]["rewards"])
    assert {move["code"] - SHIFT for move in replay["moves"] if move["move"]["kind"] == "take_pebbles"} <= {9, 10, 11}
    unnamed = {name: part for name, part in record.items() if name != "ruleset"}
    answer = two.post(f"{PEBBLES}/replays", json=unnamed)
    assert answer.json is not None
    assert answer.json["code"] == "unfit-draw"  # it is taken for one of today's


def test_a_record_that_its_ruleset_has_never_written_is_refused_with_its_place(two: FlaskClient) -> None:
    old: dict[str, Any] = {
        "seat_count": 2,
        "ruleset": "pebbles/1",
        "moves": [],
        "draws": [{"what": "card", "value": "ace"}],
    }
    for change, pointer in ({}, "/draws"), ({"options": 7}, "/options"), ({"ruleset": "pebbles/9"}, "/ruleset"):
        answer = two.post(f"{PEBBLES}/replays", json={**old, **change})
        assert answer.json is not None
        assert answer.status_code == 422
        assert pointer in {error["pointer"] for error in answer.json["errors"]}
