"""Every malformed request is a problem document of the right status that names the place; nothing is a 500."""

import json
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any, Final

import msgspec
import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from games.core.registry import ours
from service.http.problems import PROBLEMS
from service.settings import Limits
from service.snapshots import fairness, records
from tests.service.kit import PEBBLES, snapshot
from tests.toy import GAME

SNAPSHOT: dict[str, Any] = {
    "game": "pebbles",
    "ruleset": "pebbles/1",
    "ply": 2,
    "sealed": False,
    "seed": "s",
    "table": {
        "ply": 2,
        "heap": 9,
        "hands": [3, 5],
        "bids": [1, 1],
        "played": [],
        "turn": 0,
        "winner": None,
    },
}
VIEW: dict[str, Any] = {
    "game": "pebbles",
    "ruleset": "pebbles/1",
    "seat_count": 2,
    "ply": 2,
    "seat": 0,
    "actors": [0],
    "heap": 9,
    "card": 3,
    "holding": [True, True],
    "bids": [1, 1],
    "played": [],
    "turn": 0,
    "winner": None,
}
HUGE = b"x" * (Limits().table_bytes + 1)
SEATED = {"snapshot": SNAPSHOT, "seat": 0}
MOVE = {**SEATED, "move": {"kind": "take_pebbles", "amount": 1}}


def with_table(**changes: Any) -> dict[str, Any]:
    return {**SNAPSHOT, "table": {**SNAPSHOT["table"], **changes}}


def at_table(**changes: Any) -> dict[str, Any]:
    return {"snapshot": with_table(**changes), "seat": 0}


def seated(**changes: Any) -> dict[str, Any]:
    return {"snapshot": {**SNAPSHOT, **changes}, "seat": 0}


@dataclass(frozen=True)
class Bad:
    """A request with its expected problem; a rule if one is broken."""

    name: str
    path: str
    body: Any
    status: int
    code: str
    pointer: str | None = None
    rule: str | None = None
    place: str = "body"
    headers: dict[str, str] = field(default_factory=dict)


FOREIGN: Final = (415, "unsupported-media-type")
BODIES = [
    Bad("an empty body", "", b"", 400, "malformed-json"),
    Bad("half a body", "", b'{"seat_count": 2', 400, "malformed-json"),
    Bad("two values", "", b"{} {}", 400, "malformed-json"),
    Bad("a trailing comma", "", b'{"seat_count": 2,}', 400, "malformed-json"),
    Bad("a lone surrogate as a key", "", b'{"\\ud800 and more text": 1}', 400, "malformed-json"),
    Bad("bytes that are no UTF-8", "", b'{"seed": "\xff"}', 400, "malformed-json"),
    Bad("UTF-16", "", '{"seat_count": 2}'.encode("utf-16"), 400, "malformed-json"),
    Bad("lists nested 33 deep", "", b"[" * 33 + b"]" * 33, 400, "json-too-deep"),
    Bad("objects nested 40 deep", "", b'{"a":' * 40 + b"1" + b"}" * 40, 400, "json-too-deep"),
    Bad("an integer beyond 2**53", "", b'{"seat_count": 9007199254740993}', 400, "number-out-of-range"),
    Bad("a list", "", b"[]", 422, "invalid-body", ""),
    Bad("null", "", b"null", 422, "invalid-body", ""),
    Bad("a string", "", b'"seats"', 422, "invalid-body", ""),
    Bad("a body over the limit", "", b'{"seed": "' + HUGE + b'"}', 413, "body-too-large"),
    Bad("a body over the limit and no JSON", "", HUGE, 413, "body-too-large", headers={"Content-Type": "a/b"}),
    Bad("text", "", b"{}", *FOREIGN, headers={"Content-Type": "text/plain"}),
    Bad("a form", "", b"a=b", *FOREIGN, headers={"Content-Type": "application/x-www-form-urlencoded"}),
    Bad("Latin-1", "", b"{}", *FOREIGN, headers={"Content-Type": "application/json; charset=latin-1"}),
    Bad("no content type", "", b"{}", *FOREIGN, headers={"Content-Type": ""}),
    Bad("an unknown field", "", b'{"snapshots": 1}', 422, "invalid-body", "/snapshots"),
    Bad("a field that needs escaping", "", b'{"a/b~c": 1}', 422, "invalid-body", "/a~1b~0c"),
]
"""Input that no operation with a body accepts."""

OPERATIONS = ["snapshots", "legal-moves", "moves", "views", "pictures", "replays"]


def rows(path: str, code: str, *faulty: tuple[Any, ...], place: str = "body") -> list[Bad]:
    """Return cases of one problem; each row has a name and a body, and perhaps a pointer and a rule."""
    status = PROBLEMS[code]
    return [replace(Bad(name, path, body, status, code, *more), place=place) for name, body, *more in faulty]


CASES = [
    *rows(
        "snapshots",
        "invalid-body",
        ("no seats", {}, "/seat_count"),
        ("seats as a string", {"seat_count": "2"}, "/seat_count"),
        ("seats as true", {"seat_count": True}, "/seat_count"),
        ("no seat at all", {"seat_count": 0}, "/seat_count"),
        ("more seats than the game has", {"seat_count": 4}, "/seat_count"),
        ("an unknown field", {"seat_count": 2, "chairs": 2}, "/chairs"),
        ("a seed that is a number", {"seat_count": 2, "seed": 7}, "/seed"),
        ("an empty seed", {"seat_count": 2, "seed": ""}, "/seed"),
        ("a long seed", {"seat_count": 2, "seed": "x" * 129}, "/seed"),
        ("a seed that is null", {"seat_count": 2, "seed": None}, "/seed"),
        ("options as a list", {"seat_count": 2, "options": []}, "/options"),
        ("an unknown option", {"seat_count": 2, "options": {"stack": 9}}, "/options/stack"),
        ("an option out of range", {"seat_count": 2, "options": {"heap": 41}}, "/options/heap"),
        ("an option of another type", {"seat_count": 2, "options": {"heap": "9"}}, "/options/heap"),
        ("an option that is true", {"seat_count": 2, "options": {"heap": True}}, "/options/heap"),
    ),
    *rows(
        "legal-moves",
        "invalid-body",
        ("no snapshot", {"seat": 0}, "/snapshot"),
        ("no seat", {"snapshot": SNAPSHOT}, "/seat"),
        ("a spectator", {"snapshot": SNAPSHOT, "seat": None}, "/seat"),
        ("a seat below 0", {"snapshot": SNAPSHOT, "seat": -1}, "/seat"),
        ("a seat that the table has not", {"snapshot": SNAPSHOT, "seat": 2}, "/seat"),
        ("a snapshot that is a string", {"snapshot": "x", "seat": 0}, "/snapshot"),
        ("a snapshot that is empty", {"snapshot": {}, "seat": 0}, "/snapshot/game"),
        ("a snapshot with more", seated(note=1), "/snapshot/note"),
        ("a ply below 0", seated(ply=-1), "/snapshot/ply"),
        ("a seed that is a number", seated(seed=1), "/snapshot/seed"),
        ("an empty seed", seated(seed=""), "/snapshot/seed"),
        ("a snapshot neither open nor sealed", seated(sealed=0), "/snapshot/sealed"),
        ("another game", seated(game="chess"), "/snapshot/game"),
    ),
    *rows(
        "views",
        "broken-snapshot",
        ("a table that is a string", seated(table="x"), "/snapshot/table"),
        ("an empty table", seated(table={}), "/snapshot/table/ply"),
        ("a table with more", at_table(note=1), "/snapshot/table/note"),
        ("a heap that is a string", at_table(heap="9"), "/snapshot/table/heap"),
        ("a huge heap", at_table(heap=2**53 - 1), "/snapshot/table/heap"),
        ("a card that there is not", at_table(hands=[3, 7]), "/snapshot/table/hands/1"),
        ("one hand only", at_table(hands=[3]), "/snapshot/table/hands"),
        ("another ply inside", seated(ply=3), "/snapshot/ply"),
        ("a card twice", at_table(hands=[3, 3]), "/snapshot/table/hands", "PB-1"),
    ),
    *rows(
        "moves",
        "broken-snapshot",
        ("a played card in a hand", {**MOVE, "snapshot": with_table(played=[5])}, "/snapshot/table/hands", "PB-1"),
    ),
    *rows(
        "legal-moves",
        "broken-snapshot",
        ("a turn while bids are sealed", at_table(bids=[1, None]), "/snapshot/table/bids", "PB-2"),
    ),
    *rows(
        "pictures",
        "broken-snapshot",
        (
            "a winner with pebbles left",
            {"snapshot": with_table(winner=1), "seat": None},
            "/snapshot/table/winner",
            "PB-6",
        ),
    ),
    *rows("views", "unknown-ruleset", ("a ruleset of long ago", seated(ruleset="pebbles/0"), "/snapshot/ruleset")),
    *rows(
        "moves",
        "invalid-body",
        (
            "a sealed snapshot of another game",
            {**MOVE, "snapshot": {"game": "wichtel", "ruleset": "pebbles/1", "ply": 2, "sealed": True, "token": "x"}},
            "/snapshot/game",
        ),
        (
            "a sealed snapshot without a token",
            {**MOVE, "snapshot": {"game": "pebbles", "ruleset": "pebbles/1", "ply": 2, "sealed": True}},
            "/snapshot/token",
        ),
        ("no move", SEATED, "/move"),
        ("a move that is null", {**SEATED, "move": None}, "/move"),
        ("a move that is a list", {**SEATED, "move": [9]}, "/move"),
        ("a move without a kind", {**SEATED, "move": {"amount": 1}}, "/move/kind"),
        ("a move of an unknown kind", {**SEATED, "move": {"kind": "pray"}}, "/move/kind"),
        ("a move whose kind is a list", {**SEATED, "move": {"kind": ["take_pebbles"]}}, "/move/kind"),
        ("a move without its amount", {**SEATED, "move": {"kind": "take_pebbles"}}, "/move/amount"),
        ("a move with more", {**SEATED, "move": {"kind": "take_pebbles", "amount": 1, "x": 1}}, "/move/x"),
        ("an amount as a string", {**SEATED, "move": {"kind": "take_pebbles", "amount": "1"}}, "/move/amount"),
        ("an amount that is true", {**SEATED, "move": {"kind": "take_pebbles", "amount": True}}, "/move/amount"),
        ("an amount with a half", {**SEATED, "move": {"kind": "take_pebbles", "amount": 1.5}}, "/move/amount"),
        ("an amount out of range", {**SEATED, "move": {"kind": "take_pebbles", "amount": 8}}, "/move/amount"),
        ("a kind and a code", {**SEATED, "move": {"kind": "take_pebbles", "code": 9}}, "/move/code"),
        ("a code as a string", {**SEATED, "move": {"code": "9"}}, "/move/code"),
        ("a code that is true", {**SEATED, "move": {"code": True}}, "/move/code"),
        ("a code below 0", {**SEATED, "move": {"code": -1}}, "/move/code"),
        ("a code with more", {**SEATED, "move": {"code": 9, "x": 1}}, "/move/x"),
        ("a seat that the table has not", {**MOVE, "seat": 5}, "/seat"),
    ),
    *rows(
        "moves",
        "invalid-move",
        ("a code of no move", {**SEATED, "move": {"code": 7}}, "/move/code"),
        ("a huge code", {**SEATED, "move": {"code": 2**53 - 1}}, "/move/code"),
        ("a move of no code", {**SEATED, "move": {"kind": "take_pebbles", "amount": 7}}, "/move"),
    ),
    *rows(
        "moves",
        "illegal-move",
        ("a forbidden move", {**SEATED, "move": {"kind": "play_pebble_card", "card": 4}}, "/move/card", "PB-5"),
        ("a forbidden code", {**SEATED, "move": {"code": 20}}, "/move/code", "PB-5"),
    ),
    *rows("moves", "not-your-turn", ("a move out of turn", {**MOVE, "seat": 1})),
    *rows("moves", "game-over", ("a move after the end", {**MOVE, "snapshot": with_table(heap=0, winner=1)})),
    *rows(
        "views",
        "invalid-body",
        ("no seat", {"snapshot": SNAPSHOT}, "/seat"),
        ("a seat that the table has not", {"snapshot": SNAPSHOT, "seat": 3}, "/seat"),
        ("a view", {"view": VIEW}, "/snapshot"),
    ),
    *rows(
        "pictures",
        "invalid-body",
        ("a snapshot without a seat", {"snapshot": SNAPSHOT}, "/seat"),
        ("a view and a seat", {"view": VIEW, "seat": 0}, "/seat"),
        ("a view and a snapshot", {"view": VIEW, **SEATED}, "/view"),
        ("a view of an unknown game", {"view": {**VIEW, "game": "chess"}}, "/view/game"),
        ("a view without a game", {"view": {"seat": 0}}, "/view/game"),
        ("a view with more", {"view": {**VIEW, "note": 1}}, "/view/note"),
        ("a view of a card that there is not", {"view": {**VIEW, "card": 7}}, "/view/card"),
        ("a view that is a list", {"view": [VIEW]}, "/view"),
    ),
    *rows(
        "pictures",
        "broken-view",
        ("a view with a card twice", {"view": {**VIEW, "played": [3]}}, "/view/hands", "PB-1"),
        ("a view of the wrong actors", {"view": {**VIEW, "actors": [1]}}, "/view", "PB-1"),
    ),
    *rows(
        "pictures",
        "unknown-ruleset",
        ("a view of long ago", {"view": {**VIEW, "ruleset": "pebbles/0"}}, "/view/ruleset"),
    ),
    *rows(
        "replays",
        "invalid-body",
        ("no moves", {"seat_count": 2, "seed": "s"}, "/moves"),
        ("a move that is no object", {"seat_count": 2, "seed": "s", "moves": [1]}, "/moves/0"),
        ("a move without a seat", {"seat_count": 2, "seed": "s", "moves": [{"move": {"code": 1}}]}, "/moves/0/seat"),
        ("a move without a move", {"seat_count": 2, "seed": "s", "moves": [{"seat": 0}]}, "/moves/0/move"),
        (
            "a move of an unknown kind",
            {"seat_count": 2, "moves": [{"seat": 0, "move": {"kind": "x"}}]},
            "/moves/0/move/kind",
        ),
        ("a seat that no table has", {"seat_count": 2, "moves": [{"seat": 9, "move": {"code": 1}}]}, "/moves/0/seat"),
        ("an outcome without a value", {"seat_count": 2, "draws": [{"what": "card"}], "moves": []}, "/draws/0/value"),
        (
            "too many moves",
            {"seat_count": 2, "seed": "s", "moves": [{"seat": 0, "move": {"code": 1}}] * 2001},
            "/moves",
        ),
        (
            "a sealed snapshot to go on from",
            {
                "snapshot": {"game": "pebbles", "ruleset": "pebbles/1", "ply": 2, "sealed": True, "token": "x"},
                "moves": [],
            },
            "/snapshot/sealed",
        ),
    ),
    *rows("replays", "unfit-draw", ("neither seed nor draws", {"seat_count": 2, "moves": []}, "/draws")),
    *rows(
        "snapshots?sealed=true",
        "invalid-body",
        ("a seed for a sealed snapshot", {"seat_count": 2, "seed": "s"}, "/seed"),
    ),
    *rows("snapshots?sealed=1", "invalid-query", ("sealed as a number", {"seat_count": 2}, "/sealed"), place="query"),
    *rows("snapshots?sealed=", "invalid-query", ("sealed as nothing", {"seat_count": 2}, "/sealed"), place="query"),
    *rows(
        "snapshots?sealed=true&sealed=false",
        "invalid-query",
        ("sealed twice", {"seat_count": 2}, "/sealed"),
        place="query",
    ),
    *rows("moves?validate=true", "invalid-query", ("an unknown parameter", MOVE, "/validate"), place="query"),
    *rows("views?theme=dark", "invalid-query", ("a parameter where there is none", SEATED, "/theme"), place="query"),
    *rows("moves?validate_only=yes", "invalid-query", ("validate_only as yes", MOVE, "/validate_only"), place="query"),
    *rows("pictures?theme=pink", "invalid-query", ("a theme that there is not", SEATED, "/theme"), place="query"),
]


def check_refusal(answer: TestResponse, bad: Bad) -> None:
    assert answer.mimetype == "application/problem+json", answer.text
    document = answer.json
    assert document is not None
    assert (answer.status_code, document["status"], document["code"]) == (bad.status, bad.status, bad.code), answer.text
    assert document["type"] == f"/v1/problems#{bad.code}"
    assert document["title"]
    assert document["detail"]
    assert len(document["trace_id"]) == 32
    assert "Traceback" not in answer.text
    assert ".py" not in answer.text
    if bad.pointer is not None:
        assert document["errors"], answer.text
        assert document["errors"][0]["pointer"] == bad.pointer, answer.text
        assert document["errors"][0]["in"] == bad.place
        assert document["errors"][0].get("rule") == bad.rule
        assert document["errors"][0]["detail"]


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("bad", BODIES, ids=lambda bad: bad.name)
def test_no_operation_takes(pebbles: FlaskClient, operation: str, bad: Bad) -> None:
    headers = {"Content-Type": "application/json", **bad.headers}
    answer = pebbles.post(f"{PEBBLES}/{operation}", data=bad.body, headers=headers)
    if bad.pointer and answer.json and answer.status_code == 422:
        # The order of several faults is the schema's; the unknown field must be among them.
        assert bad.pointer in [fault["pointer"] for fault in answer.json["errors"]]
        return
    check_refusal(answer, bad)


@pytest.mark.parametrize("bad", CASES, ids=lambda bad: f"{bad.path.partition('?')[0]}: {bad.name}")
def test_refused_with_its_place(pebbles: FlaskClient, bad: Bad) -> None:
    check_refusal(pebbles.post(f"{PEBBLES}/{bad.path}", json=bad.body), bad)


@pytest.mark.parametrize("seats", [2, 3])
def test_of_a_seat_that_the_table_has_not_it_is_told_which_there_are(pebbles: FlaskClient, seats: int) -> None:
    made: Any = pebbles.post(f"{PEBBLES}/snapshots", json={"seat_count": seats}).json
    beyond = {"seat": seats, "move": {"kind": "bid_pebbles", "amount": 1}}
    for path, body in (
        ("views", {"snapshot": made["snapshot"], "seat": seats}),
        ("replays", {"seat_count": seats, "seed": "rowan", "moves": [beyond]}),
    ):
        answer: Any = pebbles.post(f"{PEBBLES}/{path}", json=body).json
        (fault,) = (answer["misfit"]["problem"] if path == "replays" else answer)["errors"]
        assert fault["detail"] == f"Must be a number from 0 to {seats - 1}.", path


def test_the_bodies_that_the_bad_ones_are_made_of_are_good(pebbles: FlaskClient) -> None:
    assert pebbles.post(f"{PEBBLES}/moves", json=MOVE).status_code == 200
    assert pebbles.post(f"{PEBBLES}/pictures", json={"view": VIEW}).status_code == 200
    assert pebbles.post(f"{PEBBLES}/views", json=SEATED).json == VIEW


def test_several_faults_are_told_at_once(pebbles: FlaskClient) -> None:
    answer = pebbles.post(f"{PEBBLES}/moves", json={"snapshot": 1, "seat": "x", "more": 1})
    assert answer.json is not None
    assert {fault["pointer"] for fault in answer.json["errors"]} == {"/snapshot", "/seat", "/move", "/more"}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_unknown_game_comes_before_everything_in_the_body(pebbles: FlaskClient, operation: str) -> None:
    answer = pebbles.post(f"/v1/games/chess/{operation}", data=b"NaN", content_type="text/plain")
    check_refusal(answer, Bad("", "", None, 404, "unknown-game"))


def test_the_largest_body_allowed_is_read(pebbles: FlaskClient) -> None:
    body = json.dumps({"seat_count": 2, "seed": "s"}).encode()
    padded = body + b" " * (Limits().body_bytes - len(body))
    answer = pebbles.post(f"{PEBBLES}/snapshots", data=padded, content_type="application/json")
    assert answer.json is not None
    assert answer.json["snapshot"] == snapshot(pebbles, seed="s")


def test_an_unknown_kind_of_move_is_refused_with_the_kinds_of_its_game(client: FlaskClient) -> None:
    for game in (GAME, *ours().values()):
        sent = {"seat_count": game.seat_numbers[0], "seed": "s"}
        made: Any = client.post(f"/v1/games/{game.slug}/snapshots", json=sent).json
        body = {"snapshot": made["snapshot"], "seat": 0, "move": {"kind": "pray"}}
        answer: Any = client.post(f"/v1/games/{game.slug}/moves", json=body).json
        kinds = ", ".join(str(kind.__struct_config__.tag) for kind in game.moves)
        fault = {"in": "body", "pointer": "/move/kind", "detail": f"Must be one of: {kinds}, code."}
        assert answer["errors"] == [fault]


@pytest.mark.parametrize("module", [fairness, records], ids=lambda module: module.__name__)
def test_no_part_of_a_request_takes_unknown_members_or_can_be_changed(module: ModuleType) -> None:
    own = [kind for kind in vars(module).values() if isinstance(kind, type) and kind.__module__ == module.__name__]
    kinds = [kind for kind in own if issubclass(kind, msgspec.Struct)]
    assert len(kinds) >= 4
    open_kinds = {kind for kind in kinds if not kind.__struct_config__.forbid_unknown_fields}
    assert (open_kinds, [kind for kind in kinds if not kind.__struct_config__.frozen]) == (set(), [])
