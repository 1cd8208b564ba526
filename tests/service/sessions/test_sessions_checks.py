"""A request to a session is checked in the contract's order, and a failed one changes nothing."""

from dataclasses import dataclass, field
from typing import Any

import pytest
import redis
from flask import Flask

from service.settings import Limits
from service.store import keys
from tests.service.kit import SESSIONS, Sitting, bid, code_of, sit, take

HUGE = b"x" * (Limits().table_bytes + 1)
JSON = {"Content-Type": "application/json"}


@dataclass(frozen=True)
class Case:
    """A request that has at least one fault; `caller` is a seat, "owner", None, or a whole Authorization header."""

    name: str
    status: int
    code: str
    caller: int | str | None = 0
    method: str = "POST"
    part: str = "/moves"
    session: str | None = None
    version: str | None = None
    headers: dict[str, str] = field(default_factory=dict)
    body: dict[str, Any] = field(default_factory=dict)

    def sent(self, sitting: Sitting) -> dict[str, Any]:
        whole = isinstance(self.caller, str) and " " in self.caller
        token = {"Authorization": str(self.caller)} if whole else sitting.token(self.caller)
        match = {} if self.version is None else {"If-Match": self.version}
        path = f"{SESSIONS}/{self.session or sitting.made['id']}{self.part}"
        return {"path": path, "method": self.method, "headers": {**token, **match, **self.headers}, **self.body}


OPEN = {"json": {"move": bid(1)}}
"""Legal while the bids are sealed, which they are not any more."""

CHECKED = "/moves/check"

CASES = [
    Case("an unknown session before its body", 404, "unknown-session", session="f" * 32, body={"data": HUGE}),
    Case("a malformed id is an unknown session", 404, "unknown-session", session="x", body={"data": HUGE}),
    Case("no token before the body", 401, "unauthorized", None, body={"data": HUGE}),
    Case("a token of nobody before the body", 401, "unauthorized", "Bearer abc", body={"data": HUGE}),
    Case("an empty token", 401, "unauthorized", "Bearer ", body={"data": HUGE}),
    Case("another scheme than Bearer", 401, "unauthorized", "Basic abc", body={"data": HUGE}),
    Case("the owner plays no seat", 403, "forbidden", "owner", body={"data": HUGE}),
    Case("the size before the type", 413, "body-too-large", body={"data": HUGE}),
    Case("the type before the JSON", 415, "unsupported-media-type", body={"data": b"{"}),
    Case("the JSON before the schema", 400, "malformed-json", headers=JSON, body={"data": b"{"}),
    Case("NaN is no JSON", 400, "malformed-json", headers=JSON, body={"data": b'{"move": NaN}'}),
    Case("deep nesting", 400, "json-too-deep", headers=JSON, body={"data": b"[" * 99 + b"]" * 99}),
    Case("the schema before the version", 422, "invalid-body", body={"json": {"mover": 1}}),
    Case("an unknown kind of move", 422, "invalid-body", body={"json": {"move": {"kind": "fly"}}}),
    Case("an operation's bad name", 422, "invalid-idempotency-key", headers={"Idempotency-Key": "a b"}, body=OPEN),
    Case("the version must be there", 428, "precondition-required", body=OPEN),
    Case("any version will do", 409, "not-your-turn", 1, version="*", body={"json": {"move": take(7)}}),
    Case("a version that cannot be read", 400, "invalid-precondition", version='"latest', body=OPEN),
    Case("an entity tag of another kind", 412, "stale-version", version='"latest"', body=OPEN),
    Case("the version before the turn", 412, "stale-version", 1, version='"2"', body=OPEN),
    Case("a version of the future", 412, "stale-version", 1, version='"4"', body=OPEN),
    Case("the turn before the rules", 409, "not-your-turn", 1, version='"3"', body={"json": {"move": take(7)}}),
    Case("the rules at last", 422, "illegal-move", version='"2"', body=OPEN),
    Case("a code of no move", 422, "invalid-move", version='"2"', body={"json": {"move": {"code": 999}}}),
    Case("a checked move's version", 428, "precondition-required", part=CHECKED, body=OPEN),
    Case("a checked move's turn", 409, "not-your-turn", 1, part=CHECKED, version='"3"', body=OPEN),
    Case("a checked move's rules", 422, "illegal-move", part=CHECKED, version='"2"', body=OPEN),
    Case("no next moves where none is made", 422, "invalid-query", part=f"{CHECKED}?expand=legal_moves", body=OPEN),
    Case("a move is not checked by the way", 422, "invalid-query", part="/moves?validate_only=true", body=OPEN),
    Case("legal moves are a seat's", 401, "unauthorized", None, "GET", "/legal-moves"),
    Case("the owner has no legal moves", 403, "forbidden", "owner", "GET", "/legal-moves"),
    Case("a seat does not abort", 403, "forbidden", 0, "DELETE", ""),
    Case("nobody aborts without a token", 401, "unauthorized", None, "DELETE", ""),
    Case("an unknown query parameter", 422, "invalid-query", 0, "GET", "?colour=red"),
    Case("an unknown expansion", 422, "invalid-query", 0, "GET", "?expand=all"),
    Case("an unknown method", 405, "method-not-allowed", 0, "PUT", ""),
]


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_checks_come_in_the_contracts_order_and_change_nothing(app: Flask, case: Case) -> None:
    sitting = sit(app)
    assert [sitting.move(seat, bid(2 - 2 * seat)).status_code for seat in (1, 0)] == [201, 201]
    before = [sitting.standing(seat) for seat in (0, 1)]
    answer = app.test_client().open(**case.sent(sitting))
    assert (answer.status_code, code_of(answer)) == (case.status, case.code)
    assert [sitting.standing(seat) for seat in (0, 1)] == before
    assert ("WWW-Authenticate" in answer.headers) == (case.status == 401)


def test_a_token_of_another_session_is_a_token_of_nobody(app: Flask) -> None:
    one, other = sit(app), sit(app)
    answer = app.test_client().get(one.here, headers=other.token(0))
    assert (answer.status_code, code_of(answer)) == (401, "unauthorized")


def test_a_check_is_answered_with_both_faces_and_changes_nothing(app: Flask, redis_client: redis.Redis) -> None:
    sitting = sit(app)
    kept = redis_client.hgetall(keys.session(sitting.made["id"]))
    headers = {"If-Match": '"1"', "Idempotency-Key": "a-move"}
    answer = sitting.call(0, "POST", CHECKED, json={"move": bid(2)}, headers=headers)
    assert answer.status_code == 200, answer.text
    listed = next(move for move in sitting.moves(0) if move["move"] == bid(2))
    assert answer.json == {"version": 1, **{name: value for name, value in listed.items() if name != "group"}}
    assert redis_client.hgetall(keys.session(sitting.made["id"])) == kept
    assert sitting.move(0, bid(2), 1, Idempotency_Key="a-move").status_code == 201


def test_a_refused_check_names_the_rule_as_the_move_would(app: Flask) -> None:
    sitting = sit(app)
    checked = sitting.call(0, "POST", CHECKED, json={"move": take(1)}, headers={"If-Match": '"1"'})
    made = sitting.move(0, take(1), 1)
    assert made.json is not None
    assert checked.json is not None
    assert made.json["errors"][0]["rule"]
    assert (checked.status_code, checked.json["errors"]) == (422, made.json["errors"])


def test_a_checked_move_takes_no_seat_back(app: Flask) -> None:
    sitting = sit(app)
    assert sitting.call(0, "POST", "/resign").status_code == 200
    checked = sitting.call(0, "POST", CHECKED, json={"move": bid(1)}, headers={"If-Match": '"2"'})
    assert checked.status_code == 200
    assert "bot" in sitting.standing(0)["seats"][0]
