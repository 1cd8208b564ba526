"""Tables of requests for sessions, each with the status of its response: view requests, long polls and moves."""

from collections.abc import Callable
from typing import Any, Final

from tests.service.kit import Sitting, bid, take

IDS: Final = {"Request-Id": "frozen", "traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}
NOW: Final = {"If-None-Match": '"1.en.view"'}
"""The caller has the session; the test completes each ETag."""

ORIGIN: Final = {"Origin": "https://club.example"}
PRIVATE: Final = {**ORIGIN, "Access-Control-Request-Private-Network": "true"}
API_KEY: Final = {"Api-Key": "a key"}
"""The test puts a key of the store in its place."""

ODD: Final = "d\xe4\xff\xb2"
"""Bytes that are not ASCII."""

LEGAL_NOW: Final = {"If-None-Match": '"1.en.legal_moves"'}

View = tuple[int, str, int | str | None, str, dict[str, str]]
"""The status, the method, the caller, the path below the session, and headers."""

VIEWS: Final[dict[str, View]] = {
    "the ETag of now": (304, "GET", 0, "", NOW),
    "the other seat": (304, "GET", 1, "", NOW),
    "a weak ETag": (304, "GET", 0, "", {"If-None-Match": 'W/"1.en.view"'}),
    "one of several ETags": (304, "GET", 0, "", {"If-None-Match": '"7.en.view", W/"1.en.view"'}),
    "any ETag": (304, "GET", 0, "", {"If-None-Match": "*"}),
    "a language of its own": (
        *(304, "GET", 0, ""),
        {"If-None-Match": '"1.de.view"', "Accept-Language": "fr, de-AT;q=0.9, en;q=0.5"},
    ),
    "a language that there is not": (304, "GET", 0, "", {**NOW, "Accept-Language": "fr"}),
    "a spectator": (304, "GET", None, "", NOW),
    "the owner, who is a spectator": (304, "GET", "owner", "", NOW),
    "a caller with ids of its own": (304, "GET", 0, "", {**NOW, **IDS}),
    "another origin": (304, "GET", 0, "", {**NOW, **ORIGIN}),
    "another origin in a private network": (304, "GET", 0, "", {**NOW, **PRIVATE}),
    "a host that is none": (304, "GET", 0, "", {**NOW, "Host": "a b"}),
    "no ETag": (200, "GET", 0, "", {}),
    "a spectator without an ETag": (200, "GET", None, "", {}),
    "the owner without an ETag": (200, "GET", "owner", "", {}),
    "an ETag of before": (200, "GET", 0, "", {"If-None-Match": '"0.en.view"'}),
    "an ETag of another part": (200, "GET", 1, "", LEGAL_NOW),
    "an ETag of another seat": (200, "GET", 1, "", {"If-None-Match": '"1.en.view@0"'}),
    "an ETag in another language": (200, "GET", 0, "", {**NOW, "Accept-Language": "de"}),
    "an ETag that is none": (200, "GET", 0, "", {"If-None-Match": "view"}),
    "an origin without an ETag": (200, "GET", 0, "", ORIGIN),
    "an origin in a private network without an ETag": (200, "GET", 0, "", PRIVATE),
    "expand": (200, "GET", 0, "?expand=legal_moves", {}),
    "expand of a spectator": (200, "GET", None, "?expand=legal_moves", {}),
    "expand with its ETag": (304, "GET", 0, "?expand=legal_moves", LEGAL_NOW),
    "If-Match": (200, "GET", 0, "", {"If-Match": '"1.en.view"'}),
    "any If-Match": (304, "GET", 0, "", {**NOW, "If-Match": "*"}),
    "another If-Match": (412, "GET", 0, "", {"If-Match": '"7.en.view"'}),
    "another If-Match with the ETag of now": (412, "GET", 0, "", {**NOW, "If-Match": '"7.en.view"'}),
    "an API key": (200, "GET", 0, "", API_KEY),
    "an API key with the ETag of now": (304, "GET", 0, "", {**NOW, **API_KEY}),
    "HEAD": (304, "HEAD", 0, "", NOW),
    "HEAD without an ETag": (200, "HEAD", 0, "", {}),
    "a preflight": (200, "OPTIONS", 0, "", {**NOW, **ORIGIN, "Access-Control-Request-Method": "GET"}),
    "a method that there is not": (405, "PUT", 0, "", NOW),
    "an unknown query": (422, "GET", 0, "?seat=1", NOW),
    "an unknown query of nobody": (422, "GET", None, "?seat=1", {"Authorization": "Bearer nobody"}),
    "a query twice": (422, "GET", 0, "?expand=legal_moves&expand=legal_moves", NOW),
    "a part that there is not": (422, "GET", 0, "?expand=picture", NOW),
    "another resource": (304, "GET", 0, "/legal-moves", LEGAL_NOW),
    "a slash too many": (404, "GET", 0, "/", NOW),
    "a token of nobody": (401, "GET", None, "", {**NOW, "Authorization": "Bearer nobody"}),
    "no bearer": (401, "GET", None, "", {**NOW, "Authorization": "Basic bm9ib2R5"}),
    "no token": (401, "GET", None, "", {**NOW, "Authorization": ""}),
    "an API key that is none": (401, "GET", 0, "", {**NOW, "Api-Key": "none"}),
    "an upgrade": (405, "GET", 0, "", {**NOW, "Connection": "upgrade", "Upgrade": "websocket"}),
    "a token of odd bytes": (401, "GET", None, "", {"Authorization": f"Bearer {ODD}"}),
    "an API key of odd bytes": (401, "GET", 0, "", {"Api-Key": f"dorf_{ODD}"}),
    "an ETag of odd bytes": (200, "GET", 0, "", {"If-None-Match": f'"{ODD}"'}),
    "an If-Match of odd bytes": (412, "GET", 0, "", {"If-Match": f'"{ODD}"'}),
    "a language of odd bytes": (200, "GET", 0, "", {"Accept-Language": ODD}),
    "an id and an origin of odd bytes": (200, "GET", 0, "", {"Request-Id": ODD, "traceparent": ODD, "Origin": ODD}),
}

POLLS: Final[dict[str, View]] = {
    "a seat": (304, "GET", 0, "?wait=1", NOW),
    "a spectator": (304, "GET", None, "?wait=1", NOW),
    "the owner, who is a spectator": (304, "GET", "owner", "?wait=1", NOW),
    "one of several ETags": (304, "GET", 0, "?wait=1", {"If-None-Match": '"7.en.view", W/"1.en.view"'}),
    "any ETag": (304, "GET", 0, "?wait=1", {"If-None-Match": "*"}),
    "another language": (304, "GET", 1, "?wait=1", {"If-None-Match": '"1.de.view"', "Accept-Language": "de"}),
    "another origin": (304, "GET", 0, "?wait=1", {**NOW, **ORIGIN}),
    "an ETag of before": (200, "GET", 0, "?wait=20", {"If-None-Match": '"0.en.view"'}),
    "an ETag of before in another language": (200, "GET", 1, "?wait=1", {**NOW, "Accept-Language": "de"}),
    "no ETag": (200, "GET", 0, "?wait=20", {}),
    "no time": (304, "GET", 0, "?wait=0", NOW),
    "a number that begins with 0": (304, "GET", 0, "?wait=01", NOW),
    "too long": (422, "GET", 0, "?wait=26", NOW),
    "a sign": (422, "GET", 0, "?wait=-1", NOW),
    "half a second": (422, "GET", 0, "?wait=1.5", NOW),
    "a word": (422, "GET", 0, "?wait=x", NOW),
    "no number": (422, "GET", 0, "?wait=", NOW),
    "twice": (422, "GET", 0, "?wait=1&wait=1", NOW),
    "another part": (304, "GET", 0, "?wait=1&expand=legal_moves", LEGAL_NOW),
    "a token of nobody": (401, "GET", None, "?wait=20", {**NOW, "Authorization": "Bearer nobody"}),
    "an API key": (304, "GET", 0, "?wait=1", {**NOW, **API_KEY}),
    "an API key that is none": (401, "GET", 0, "?wait=20", {**NOW, "Api-Key": "none"}),
    "another If-Match": (412, "GET", 0, "?wait=1", {**NOW, "If-Match": '"7.en.view"'}),
    "HEAD": (304, "HEAD", 0, "?wait=1", NOW),
    "a preflight": (200, "OPTIONS", 0, "?wait=1", {**NOW, **ORIGIN, "Access-Control-Request-Method": "GET"}),
    "a method that there is not": (405, "PUT", 0, "?wait=1", NOW),
    "a token of odd bytes": (401, "GET", None, "?wait=1", {**NOW, "Authorization": f"Bearer {ODD}"}),
    "an API key of odd bytes": (401, "GET", 0, "?wait=1", {**NOW, "Api-Key": f"dorf_{ODD}"}),
    "an ETag of odd bytes": (200, "GET", 0, "?wait=1", {"If-None-Match": f'"{ODD}"'}),
    "an If-Match of odd bytes": (412, "GET", 0, "?wait=1", {**NOW, "If-Match": f'"{ODD}"'}),
}

FIRST: Final = {"If-Match": '"1"'}
ANY: Final = {"If-Match": "*"}
KEY: Final = {**ANY, "Idempotency-Key": "noon"}
EXPANDED: Final = "/moves?expand=legal_moves"
OPEN: Final = ({"kind": "human"}, {"kind": "open"})
BOT: Final = ({"kind": "human"}, {"kind": "bot", "bot": {"level": "random"}})
CLOCK: Final = {"move_ms": 60_000, "bank_ms": 5_000, "policy": "random"}
LONG_BYTES: Final = 5_000
LONG_BODY: Final = b'{"move": {"kind": "bid_pebbles", "amount": 1}}' + b" " * LONG_BYTES

Prelude = Callable[[Sitting], tuple[int, Any]]
"""Plays a session to where a move is made, and returns whose it is, and the move."""


def first(_sitting: Sitting) -> tuple[int, Any]:
    return 0, bid(1)


def first_of_the_other(_sitting: Sitting) -> tuple[int, Any]:
    return 1, bid(2)


def second(sitting: Sitting) -> tuple[int, Any]:
    assert sitting.move(1, bid(0), 1).status_code == 201
    return 0, bid(1)


def public(sitting: Sitting) -> tuple[int, Any]:
    seat, move = second(sitting)
    assert sitting.move(seat, move, 1).status_code == 201
    return 0, take(2)


def drawing(sitting: Sitting) -> tuple[int, Any]:
    public(sitting)
    return 0, sitting.moves(0)[-1]["move"]


def last(sitting: Sitting) -> tuple[int, Any]:
    public(sitting)
    while (shown := sitting.look(0).json)["view"]["heap"] > 1:  # type: ignore[index]
        assert sitting.move(shown["actors"][0], take(min(3, shown["view"]["heap"] - 1))).status_code == 201  # type: ignore[index]
    return shown["actors"][0], take(1)  # type: ignore[index]


def over(sitting: Sitting) -> tuple[int, Any]:
    seat, move = last(sitting)
    assert sitting.move(seat, move).status_code == 201
    return seat, move


def repeated(sitting: Sitting) -> tuple[int, Any]:
    assert sitting.move(0, bid(1), "*", Idempotency_Key="noon").status_code == 201
    return 0, bid(1)


Move = tuple[int, Prelude, dict[str, Any]]
"""The status, the preceding request, and the different arguments."""

MOVES: Final[dict[str, Move]] = {
    "a sealed bid": (201, first, {}),
    "a sealed bid of the other seat": (201, first_of_the_other, {}),
    "the bid that opens all": (201, second, {}),
    "a move that all hear of": (201, public, {}),
    "a move that draws": (201, drawing, {}),
    "the last move": (201, last, {}),
    "by its code": (201, first, {"json": {"move": {"code": 1}}}),
    "a number with a point": (201, first, {"data": b'{"move": {"kind": "bid_pebbles", "amount": 1.0}}'}),
    "the ETag of now": (201, first, {"headers": FIRST}),
    "a weak ETag in another language": (201, first, {"headers": {"If-Match": 'W/"1.it.view"'}}),
    "a version without quotes": (201, first, {"headers": {"If-Match": "1"}}),
    "one of several ETags": (201, first, {"headers": {"If-Match": '"7.en.view", "1.en.legal_moves"'}}),
    "a language of its own": (201, first, {"headers": {**ANY, "Accept-Language": "fr, de-AT;q=0.9, en;q=0.5"}}),
    "another origin": (201, first, {"headers": {**ANY, **ORIGIN}}),
    "another origin in a private network": (201, first, {"headers": {**ANY, **PRIVATE}}),
    "a key": (201, first, {"headers": KEY}),
    "a key in quotes": (201, second, {"headers": {**ANY, "Idempotency-Key": '"noon"'}}),
    "a key and a Seat-Key": (201, first, {"headers": {**KEY, "Seat-Key": "mine"}}),
    "a key again": (201, repeated, {"headers": KEY}),
    "a key again with an old If-Match": (201, repeated, {"headers": {**KEY, "If-Match": '"1.en.view@0"'}}),
    "a key again without If-Match": (201, repeated, {"headers": {"Idempotency-Key": "noon"}}),
    "a key again with another move": (422, repeated, {"headers": KEY, "json": {"move": bid(2)}}),
    "a key again with a query": (422, repeated, {"headers": KEY, "path": EXPANDED}),
    "a key with an old If-Match": (412, public, {"headers": {**KEY, "If-Match": '"1"'}}),
    "a key with an illegal move": (422, first, {"headers": KEY, "json": {"move": take(1)}}),
    "beside a bot": (201, first, {"seats": BOT}),
    "against a clock": (201, first, {"body": {"clock": CLOCK}}),
    "where chance is not the caller's": (201, drawing, {"body": {"seed": None}}),
    "with what comes next": (201, first, {"path": EXPANDED}),
    "an API key": (201, first, {"headers": {**ANY, **API_KEY}}),
    "an API key and a key": (201, first, {"headers": {**KEY, **API_KEY}}),
    "an API key and a key again with an old If-Match": (
        *(201, repeated),
        {"headers": {**KEY, **API_KEY, "If-Match": '"1.en.view@0"'}},
    ),
    "a key, with what comes next": (201, first, {"headers": KEY, "path": EXPANDED}),
    "an API key, with what comes next": (201, first, {"headers": {**ANY, **API_KEY}, "path": EXPANDED}),
    "a key and a long body": (201, first, {"headers": KEY, "data": LONG_BODY}),
    "a long body again under its key": (201, repeated, {"headers": KEY, "data": LONG_BODY}),
    "a long body": (201, first, {"data": LONG_BODY}),
    "a type with its encoding": (201, first, {"content_type": "application/json; charset=utf-8"}),
    "no version": (428, first, {"headers": {}}),
    "a version of before": (412, public, {"headers": FIRST}),
    "a version of another seat": (412, first, {"headers": {"If-Match": '"1.en.view@1"'}}),
    "a version of spectators": (412, first, {"headers": {"If-Match": 'W/"1.en.view@all"'}}),
    "a version of another history": (412, first, {"headers": {"If-Match": '"1.en.view~0123456789ab"'}}),
    "no version at all": (400, first, {"headers": {"If-Match": "view"}}),
    "a version beside a tag without one": (201, first, {"headers": {"If-Match": '"no", "1"'}}),
    "a tag without a version": (412, first, {"headers": {"If-Match": 'W/"no"'}}),
    "several tags without a version": (400, first, {"headers": {"If-Match": '"no", "nor this"'}}),
    "an illegal move": (422, first, {"json": {"move": take(1)}}),
    "a code of no move": (422, first, {"json": {"move": {"code": 99}}}),
    "a move of no game": (422, first, {"json": {"move": {"kind": "castle"}}}),
    "no move": (422, first, {"json": {}}),
    "more than a move": (422, first, {"json": {"move": bid(1), "seat": 0}}),
    "no JSON": (400, first, {"data": b"{"}),
    "no object": (422, first, {"data": b"[]"}),
    "nothing": (400, first, {"data": b""}),
    "too deep": (400, first, {"data": b"[" * 40 + b"]" * 40}),
    "a name twice": (400, first, {"data": b'{"move": {"code": 1}, "move": {"code": 1}}'}),
    "a long move": (422, first, {"json": {"move": {"kind": "x" * LONG_BYTES}}}),
    "another type of text": (415, first, {"content_type": "text/plain"}),
    "not its turn": (409, public, {"caller": 1, "json": {"move": take(1)}}),
    "over": (409, over, {}),
    "a seat that waits": (409, first, {"seats": OPEN}),
    "no token": (401, first, {"caller": None}),
    "a token of nobody": (401, first, {"caller": None, "headers": {**ANY, "Authorization": "Bearer nobody"}}),
    "the owner": (403, first, {"caller": "owner"}),
    "an API key that is none": (401, first, {"headers": {**ANY, "Api-Key": "none"}}),
    "a key that is none": (422, first, {"headers": {**ANY, "Idempotency-Key": "a b"}}),
    "an unknown query": (422, first, {"path": "/moves?seat=1"}),
    "another part": (422, first, {"path": "/moves?expand=picture"}),
    "only a check": (200, first, {"path": "/moves/check"}),
    "another method": (405, first, {"method": "PUT"}),
    "HEAD": (405, first, {"method": "HEAD"}),
    "a preflight": (200, first, {"method": "OPTIONS", "headers": {**ORIGIN, "Access-Control-Request-Method": "POST"}}),
    "a token of odd bytes": (401, first, {"caller": None, "headers": {**ANY, "Authorization": f"Bearer {ODD}"}}),
    "an API key of odd bytes": (401, first, {"headers": {**ANY, "Api-Key": f"dorf_{ODD}"}}),
    "a key of odd bytes": (422, first, {"headers": {**ANY, "Idempotency-Key": ODD}}),
    "a quoted key of odd bytes": (422, first, {"headers": {**ANY, "Idempotency-Key": f'"{ODD}"'}}),
    "a Seat-Key of odd bytes": (201, first, {"headers": {**KEY, "Seat-Key": ODD}}),
    "a version of odd bytes": (412, first, {"headers": {"If-Match": f'"{ODD}"'}}),
    "a version and odd bytes": (400, first, {"headers": {"If-Match": ODD}}),
    "a type of odd bytes": (415, first, {"content_type": ODD}),
}
