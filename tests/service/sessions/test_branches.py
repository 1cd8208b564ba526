"""A branch is dealt from its viewer's knowledge; it reveals nothing, and nobody at the session notices it."""

from collections import Counter
from typing import Any

import msgspec
import pytest
import redis
from flask import Flask
from werkzeug.test import TestResponse

from service.store import keys
from service.store.sessions import Charter
from tests.service.kit import PEOPLE, Sitting, bid, code_of, sit, take

THREE = [*PEOPLE, PEOPLE[0]]
BRANCHES = "/branches"


def branched(sitting: Sitting, caller: int | str | None, body: dict[str, Any] | None = None, **headers: str) -> Any:
    answer = request_branch(sitting, caller, body, **headers)
    assert answer.status_code == 201, answer.text
    return answer.json


def request_branch(
    sitting: Sitting, caller: int | str | None, body: dict[str, Any] | None = None, **headers: str
) -> TestResponse:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return sitting.call(caller, "POST", BRANCHES, json=body or {}, headers=named)


def snapshot_of(sitting: Sitting, caller: int | None, **body: Any) -> Any:
    return branched(sitting, caller, {"kind": "snapshot", **body})["snapshot"]


def view_of(sitting: Sitting, caller: int | None) -> Any:
    return sitting.look(caller).json["view"]  # type: ignore[index]


def test_a_branch_looks_to_its_founder_as_the_session_does_and_leaves_it_as_it_is(app: Flask) -> None:
    sitting = sit(app, {"kind": "human", "name": "Zoë"}, *THREE[1:])
    sitting.move(1, bid(2))
    before = [sitting.standing(caller) for caller in (0, 1, 2, None)]
    made = branched(sitting, 0)
    assert [sitting.standing(caller) for caller in (0, 1, 2, None)] == before
    branch = Sitting(app, made["session"])
    assert (made["version"], made["session"]["practice"], made["session"]["status"]) == (1, True, "running")
    assert [seat["kind"] for seat in made["session"]["seats"]] == ["human", "bot", "bot"]
    assert made["session"]["seats"][0]["name"] == "Zoë"
    assert view_of(branch, 0) == view_of(sitting, 0)
    assert branch.move(0, bid(1)).status_code == 201
    assert [sitting.standing(caller) for caller in (0, 1, 2, None)] == before


def test_a_branch_of_an_earlier_version_uses_the_knowledge_of_that_time(app: Flask) -> None:
    sitting = sit(app, *THREE)
    seen = {1: view_of(sitting, 0)}
    for seat, move in ((1, bid(2)), (0, bid(0)), (2, bid(1)), (1, take(3)), (2, take(1))):
        sitting.move(seat, move)
        seen[sitting.version(0)] = view_of(sitting, 0)
    assert list(seen) == [1, 2, 3, 4, 5]
    people = {"seats": THREE}
    for version, view in seen.items():
        made = branched(sitting, 0, {"version": version, **people})
        assert made["version"] == version
        assert view_of(Sitting(app, made["session"]), 0) == view
    sitting.play_out()
    again = branched(sitting, 0, {"version": 2, **people})
    assert view_of(Sitting(app, again["session"]), 0) == seen[2]


def test_two_truths_that_look_alike_to_a_viewer_make_the_same_branches(app: Flask) -> None:
    alike: dict[str, list[Sitting]] = {}
    for seed in "abcdefghijklmnop":
        sitting = sit(app, *THREE, seed=seed)
        alike.setdefault(str(view_of(sitting, 0)["card"]), []).append(sitting)
    one, other, *_ = max(alike.values(), key=len)
    one.move(1, bid(2))  # sealed: seat 0 cannot know
    for version in ({}, {"version": 1}):
        for seed in ("x", "y"):
            assert snapshot_of(one, 0, seed=seed, **version) == snapshot_of(other, 0, seed=seed, **version)
    hands = [[view_of(sitting, seat)["card"] for seat in range(3)] for sitting in (one, other)]
    assert hands[0] != hands[1]


def test_many_branches_sample_the_viewers_possible_worlds(app: Flask) -> None:
    sitting = sit(app, *THREE)
    own = view_of(sitting, 0)["card"]
    truth = [view_of(sitting, seat)["card"] for seat in range(3)]
    dealt = Counter(tuple(snapshot_of(sitting, 0, seed=str(seed))["table"]["hands"]) for seed in range(200))
    assert {hand[0] for hand in dealt} == {own}
    assert len(dealt) == 5 * 4  # every pair of the five other cards
    assert dealt[tuple(truth)] < 30  # the true one is one of them: 10 expected, and no more than any other


def test_the_spectators_version_of_a_session_branches_without_a_hand(app: Flask) -> None:
    sitting = sit(app, *THREE)
    made = branched(sitting, None)
    assert [seat["kind"] for seat in made["session"]["seats"]] == ["bot"] * 3
    assert view_of(Sitting(app, made["session"]), None) == view_of(sitting, None)
    assert len({snapshot_of(sitting, None, seed=str(seed))["table"]["hands"][0] for seed in range(40)}) == 6
    assert branched(sitting, "owner")["session"]["spectators"] == "live"


def test_without_a_seed_every_branch_has_chance_of_its_own(app: Flask, redis_client: redis.Redis) -> None:
    sitting = sit(app, *THREE)
    assert len({snapshot_of(sitting, 0)["seed"] for _ in range(3)}) == 3
    names = [sitting.made["id"], *(branched(sitting, 0)["session"]["id"] for _ in range(3))]
    charters = [
        msgspec.json.decode(redis_client.hget(keys.session(name), "charter") or b"", type=Charter) for name in names
    ]
    assert len({charter.key for charter in charters}) == 4
    assert [charter.branched_at for charter in charters] == [None, 1, 1, 1]


def test_a_branch_can_be_played_told_streamed_and_replayed_from_the_table_it_was_dealt(app: Flask) -> None:
    sitting = sit(app, *THREE)
    for seat, move in ((1, bid(2)), (0, bid(0)), (2, bid(1)), (1, take(3))):
        sitting.move(seat, move)
    branch = Sitting(app, branched(sitting, 0, {"seats": THREE, "spectators": "live"})["session"])
    inner = Sitting(app, branched(branch, 2, {"seats": THREE})["session"])
    assert view_of(inner, 2) == view_of(branch, 2)
    branch.play_out()
    told = branch.look(0, "/events?after=0").text
    assert told.count("event: change") == branch.version(0) - 1
    record = branch.look(0, "/replay").json
    assert record is not None
    assert (list(record), record["snapshot"]["ply"]) == (["ruleset", "snapshot", "moves"], 4)
    replay: Any = app.test_client().post("/v1/games/pebbles/replays", json=record).json
    assert replay["fits"] is True
    assert replay["outcome"]["rewards"] == branch.look(0).json["outcome"]["rewards"]  # type: ignore[index]
    whole: Any = branch.look(1, "/history").json
    assert [line["code"] for line in whole["lines"][1:]] == [move["code"] for move in replay["moves"]]


def test_a_branch_is_made_once_for_each_key(app: Flask, redis_client: redis.Redis) -> None:
    sitting = sit(app, *THREE)
    first = request_branch(sitting, 0, Idempotency_Key="once")
    sitting.move(1, bid(1))
    sitting.move(0, bid(1))  # the owner knows more by now
    redis_client.delete(*redis_client.scan_iter("o:*"))  # and the first answer was lost
    again = request_branch(sitting, 0, Idempotency_Key="once")
    assert (again.json, again.headers["Idempotency-Replayed"]) == (first.json, "true")
    other = request_branch(sitting, 0, {"spectators": "none"}, Idempotency_Key="once")
    assert code_of(other) == "idempotency-key-reused"
    assert request_branch(sitting, 1, Idempotency_Key="once").json != first.json


def test_a_game_that_is_over_branches_only_from_before(app: Flask) -> None:
    sitting = sit(app)
    sitting.play_out()
    answer = request_branch(sitting, 0)
    assert (answer.status_code, code_of(answer)) == (409, "game-over")
    assert request_branch(sitting, 0, {"version": sitting.version(0) - 1}).status_code == 201
    given_up = sit(app)
    given_up.call(0, "POST", "/resign", json={"then": "forfeit"})
    assert request_branch(given_up, 1).status_code == 201


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"version": 2}, "/version"),
        ({"version": 0}, "/version"),
        ({"version": True}, "/version"),
        ({"kind": "table"}, "/kind"),
        ({"seats": THREE[:2]}, "/seats"),
        ({"seats": [*THREE, PEOPLE[0]]}, "/seats"),
        ({"kind": "snapshot", "seats": THREE}, "/seats"),
        ({"kind": "snapshot", "clock": {"move_ms": 1000, "policy": "random"}}, "/clock"),
        ({"seed": ""}, "/seed"),
        ({"at": 1}, "/at"),
    ],
    ids=str,
)
def test_impossible_branches_are_refused_with_their_place(app: Flask, body: dict[str, Any], pointer: str) -> None:
    answer = request_branch(sit(app, *THREE), 0, body)
    assert (answer.status_code, code_of(answer)) == (422, "invalid-body")
    assert [error["pointer"] for error in answer.json["errors"]] == [pointer]  # type: ignore[index]


def test_a_caller_without_access_may_not_branch(app: Flask) -> None:
    sitting = sit(app, spectators="none")
    for caller, status in ((None, 401), ("owner", 403), (0, 201)):
        assert request_branch(sitting, caller).status_code == status


def test_a_log_that_is_cut_branches_from_now_alone(app: Flask, redis_client: redis.Redis) -> None:
    sitting = sit(app)
    sitting.move(0, bid(1))
    sitting.move(1, bid(2))
    redis_client.xtrim(keys.log(sitting.made["id"]), maxlen=1, approximate=False)
    assert request_branch(sitting, 0).status_code == 201
    answer = request_branch(sitting, 0, {"version": 1})
    assert (answer.status_code, code_of(answer)) == (410, "history-cut")
