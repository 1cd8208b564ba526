"""Each call of `dorfplatz-client` with every parameter at its bounds: its requests, its pauses and its result."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from dorfplatz_client import Client, ProblemError, retries
from tests.service.scripted import STATE, Script, bodies, client, job, problem, state_response, stream

END = "event: end\ndata: {}\n\n"


@pytest.fixture(autouse=True)
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the pauses between requests, which take no time."""
    found: list[float] = []
    monkeypatch.setattr("dorfplatz_client.generated.synchronous.transport.time.sleep", found.append)
    return found


def made(seats: int) -> httpx.Response:
    shown = [{"seat": seat, "token": f"token{seat}"} for seat in range(seats)]
    return httpx.Response(201, json={"id": "S", "seats": shown})


@pytest.mark.parametrize("seat", range(4))
def test_a_person_sits_at_any_seat_beside_the_bots(seat: int) -> None:
    script = Script(made(4), state_response())
    taken = client(script).play("wichtel", ["easy", "open", "hard"], seat=seat, name="Ann", listed=True)
    seats: list[Any] = [
        {"kind": "bot", "bot": {"level": "easy"}},
        {"kind": "open"},
        {"kind": "bot", "bot": {"level": "hard"}},
    ]
    seats.insert(seat, {"kind": "human", "name": "Ann"})
    assert bodies(script)[0] == ("POST", "/sessions", {"game": "wichtel", "seats": seats, "listed": True})
    assert taken.token == f"token{seat}"
    assert script.heard[1].headers["Authorization"] == f"Bearer token{seat}"


def test_a_table_has_one_medium_bot_and_the_first_seat_unless_told_otherwise() -> None:
    invited = {"id": "S", "seats": [{"seat": 0, "token": "t0"}, {"seat": 1, "invite": "code"}]}
    script = Script(httpx.Response(201, json=invited), state_response())
    taken = client(script).play("wichtel")
    seats = [{"kind": "human"}, {"kind": "bot", "bot": {"level": "medium"}}]
    assert bodies(script)[0][2] == {"game": "wichtel", "seats": seats}
    assert (taken.token, taken.invites) == ("t0", {1: "code"})


@pytest.mark.parametrize("seat", [-1, 3])
def test_a_seat_that_the_table_does_not_have_is_refused_before_a_request(seat: int) -> None:
    script = Script()
    with pytest.raises(ValueError, match="seats 0 to 2"):
        client(script).play("wichtel", ["easy", "hard"], seat=seat)
    assert script.heard == []


def test_a_look_waits_for_a_change_and_keeps_the_state_without_one() -> None:
    unchanged = httpx.Response(304)
    script = Script(state_response(), state_response(), unchanged, state_response(version=8), unchanged, unchanged)
    seat: Any = client(script).seat("S", "token")
    first = seat.look()
    assert seat.look(wait=5) == first == STATE
    assert seat.look(wait=1, legal_moves=True)["version"] == 8
    assert seat.look(wait=25)["version"] == 8
    assert seat.look(legal_moves=True)["version"] == 8
    assert [each.headers.get("If-None-Match") for each in script.heard] == [
        None, None, '"7.en."', '"7.en."', '"8.en."', None,
    ]  # fmt: skip
    assert [dict(each.url.params) for each in script.heard] == [
        {}, {}, {"wait": "5"}, {"wait": "1", "expand": "legal_moves"}, {"wait": "25"}, {"expand": "legal_moves"},
    ]  # fmt: skip


def test_the_state_after_a_move_has_no_tag_to_wait_with() -> None:
    script = Script(state_response(), httpx.Response(201, json={**STATE, "version": 8}), state_response(version=9))
    seat = client(script).seat("S", "token")
    assert seat.move({"move": {"code": 3}, "label": "Three"})["version"] == 8
    assert seat.look(wait=5)["version"] == 9
    assert bodies(script)[1] == ("POST", "/sessions/S/moves", {"move": {"code": 3}})
    assert "If-None-Match" not in script.heard[2].headers
    assert dict(script.heard[2].url.params) == {}


def test_a_seat_decides_once_per_version_until_the_session_ends() -> None:
    theirs, over = state_response(version=9, actors=[1]), state_response(version=10, status="finished")
    moved = httpx.Response(201, json={**STATE, "version": 8})
    script = Script(*[state_response()] * 2, moved, theirs, state_response(version=9), over)
    seat = client(script).seat("S", "token")
    decided = []
    for state in seat.decisions():
        decided.append((state["version"], seat.is_asked, seat.is_over))
        if len(decided) == 1:
            seat.move({"code": 3})
    assert decided == [(7, True, False), (8, True, False), (9, True, False)]
    assert seat.is_over
    assert not seat.is_asked
    assert [dict(each.url.params) for each in script.heard] == [{}, {}, {}, {}, {"wait": "25"}, {"wait": "25"}]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, (True, False)),
        ({"actors": [1, 0]}, (True, False)),
        ({"actors": [1]}, (False, False)),
        ({"you": None}, (False, False)),
        ({"status": "waiting"}, (True, False)),
        ({"status": "finished"}, (False, True)),
        ({"status": "aborted"}, (False, True)),
    ],
)
def test_a_seat_is_asked_while_it_acts_in_a_session_that_goes_on(
    changes: dict[str, Any], expected: tuple[bool, bool]
) -> None:
    seat = client(Script(state_response(**changes))).seat("S", "token")
    assert (seat.is_asked, seat.is_over) == expected


def test_a_seat_reads_moves_and_checks_one() -> None:
    listed = httpx.Response(200, json={"moves": [{"code": 1}, {"code": 2}]})
    script = Script(state_response(), listed, httpx.Response(200, json={"version": 7}), *[listed] * 2)
    seat: Any = client(script).seat("S", "token")
    assert seat.legal_moves() == [{"code": 1}, {"code": 2}]
    assert seat.check({"code": 1})["version"] == 7
    seat.history(3)
    seat.history(limit=9)
    assert bodies(script)[1:3] == [
        ("GET", "/sessions/S/legal-moves", None), ("POST", "/sessions/S/moves/check", {"move": {"code": 1}}),
    ]  # fmt: skip
    assert script.heard[2].headers["If-Match"] == '"7"'
    assert [dict(each.url.params) for each in script.heard[3:]] == [{"first": "3"}, {"first": "0", "limit": "9"}]
    assert {each.headers["Authorization"] for each in script.heard} == {"Bearer token"}


def test_a_seat_that_resigns_leaves_a_bot_and_keeps_its_token_without_another() -> None:
    nothing = httpx.Response(200, json={})
    again = httpx.Response(201, json={"id": "S2"})
    script = Script(state_response(), nothing, state_response(), again, state_response())
    seat = client(script).seat("S", "token")
    seat.resign()
    assert bodies(script)[1] == ("POST", "/sessions/S/resign", {})
    rematch = seat.rematch()
    assert (rematch.session, rematch.token, rematch.invites) == ("S2", "token", {})


def test_the_last_entry_of_a_page_is_the_cursor_of_the_next() -> None:
    pages = [{"puzzles": [{"id": each} for each in "abc"], "next": "x"}, {"puzzles": [{"id": "d"}], "next": "y"}]
    script = Script(*(httpx.Response(200, json=page) for page in [*pages, {"puzzles": []}]))
    assert [puzzle["id"] for puzzle in client(script).puzzles("wichtel")] == ["a", "b", "c", "d"]
    assert [each.url.params.get("after") for each in script.heard] == [None, "c", "d"]


@pytest.mark.parametrize(
    ("filters", "wanted"),
    [({}, {}), ({"language": "de"}, {"language": "de"}), ({"game": "wichtel"}, {"game": "wichtel"})],
)
def test_listed_tables_are_filtered(filters: dict[str, str], wanted: dict[str, str]) -> None:
    script = Script(httpx.Response(200, json={"sessions": []}))
    assert list(client(script).tables(**filters)) == []
    assert dict(script.heard[0].url.params) == {**wanted, "open": "true", "limit": "100"}


def test_a_seat_is_claimed_with_its_code_and_settings() -> None:
    script = Script(*[httpx.Response(201, json={"token": "mine"}), state_response()] * 2)
    asked = client(script)
    assert asked.claim("S/1", 2, code="abc", language="de").invites == {}
    asked.claim("S", 0)
    assert bodies(script)[0] == ("POST", "/sessions/S/1/seats/2/claim", {"code": "abc", "language": "de"})
    assert bodies(script)[2] == ("POST", "/sessions/S/seats/0/claim", {})


CALLS: list[tuple[Callable[[Client], Any], str, dict[str, Any]]] = [
    (
        lambda asked: asked.simulate("wichtel", ["easy", "hard"], games=3, seed="x"),
        "/jobs/simulations",
        {"game": "wichtel", "seats": [{"bot": {"level": "easy"}}, {"bot": {"level": "hard"}}], "games": 3, "seed": "x"},
    ),
    (
        lambda asked: asked.search("wichtel", budget={"iterations": 4}, snapshot="s", seat=0),
        "/jobs/searches",
        {"game": "wichtel", "budget": {"iterations": 4}, "snapshot": "s", "seat": 0},
    ),
]


@pytest.mark.parametrize(("call", "path", "body"), CALLS)
def test_a_job_is_requested_with_all_that_is_given(
    call: Callable[[Client], Any], path: str, body: dict[str, Any]
) -> None:
    script = Script(httpx.Response(202, json=job("queued")))
    assert call(client(script)).id == "J"
    assert bodies(script) == [("POST", path, body)]


def test_a_hint_has_every_budget_that_is_given() -> None:
    script = Script(state_response(), httpx.Response(202, json=job("queued")))
    client(script).seat("S", "token").hint(iterations=0, milliseconds=7, half_width=0.5)
    assert bodies(script)[1][2]["budget"] == {"iterations": 0, "milliseconds": 7, "half_width": 0.5}


def test_a_job_reports_its_progress_and_returns_its_result() -> None:
    told = stream(
        'event: state\ndata: {"state": "running", "progress": {"done": 1, "total": 4}}\n\n',
        'event: progress\ndata: {"done": 3, "total": 4}\n\n',
        'event: state\ndata: {"state": "done"}\n\n',
        END,
    )
    done = httpx.Response(200, json=job("done", result={"games": 4}))
    script = Script(httpx.Response(202, json=job("queued")), told, done, stream(END), done)
    running = client(script).simulate("wichtel", ["easy"], games=4)
    steps: list[tuple[int, int]] = []
    assert running.result(lambda *step: steps.append(step)) == {"games": 4}
    assert steps == [(1, 4), (3, 4)]
    assert running.result() == {"games": 4}
    assert bodies(script)[1:3] == [("GET", "/jobs/J/events", None), ("GET", "/jobs/J", None)]


def test_a_client_sends_its_key_language_and_a_new_idempotency_key_per_post() -> None:
    nothing = httpx.Response(200, json={"cost": {"playouts": 0}})
    script = Script(*[nothing] * 3)
    asked = client(script, api_key="key", language="it")
    asked.cost("searches")
    asked.cost("searches")
    asked.games()
    assert {(each.headers["Api-Key"], each.headers["Accept-Language"]) for each in script.heard} == {("key", "it")}
    keys = [each.headers.get("Idempotency-Key") for each in script.heard]
    assert keys[2] is None
    assert len(set(keys)) == 3
    assert all("Authorization" not in each.headers for each in script.heard)
    plain = Script(nothing)
    client(plain).games()
    assert "Api-Key" not in plain.heard[0].headers
    assert plain.heard[0].headers["Accept-Language"] == "en"


GROWING = [0.25, 0.5, 1.0, 2.0, 4.0]


def test_a_request_is_repeated_five_times_after_growing_pauses(pauses: list[float]) -> None:
    script = Script(*[httpx.ConnectError("away")] * 6)
    with pytest.raises(httpx.ConnectError):
        client(script).games()
    assert script.answers == []
    assert pauses == GROWING


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_busy_service_is_asked_six_times(status: int, pauses: list[float]) -> None:
    script = Script(*[problem(status, "busy")] * 12)
    with pytest.raises(ProblemError):
        client(script).games()
    assert pauses == GROWING
    with pytest.raises(ProblemError):
        list(client(script).seat("S", "token").events())
    assert script.answers == []
    assert pauses == GROWING * 2


@pytest.mark.parametrize("status", [302, 400, 409, 428, 430, 500, 501, 505])
def test_another_refusal_is_final(status: int, pauses: list[float]) -> None:
    with pytest.raises(ProblemError) as refused:
        client(Script(problem(status, "no"))).games()
    assert (refused.value.status, refused.value.code, refused.value.detail) == (status, "no", "No.")
    assert str(refused.value) == "No."
    assert pauses == []


@pytest.mark.parametrize(("asked", "pause"), [("0", 0), ("1", 1), ("30", 30), ("31", 30), ("1.5", 0.25), ("x", 0.25)])
def test_the_service_chooses_a_pause_of_at_most_half_a_minute(asked: str, pause: float, pauses: list[float]) -> None:
    busy = httpx.Response(503, headers={"Retry-After": asked})
    assert client(Script(busy, httpx.Response(200, json=[]))).games() == []
    assert pauses == [pause]


def test_pauses_double_up_to_half_a_minute_at_most() -> None:
    assert [retries.pause_after(failed) for failed in range(1, 9)] == [0.25, 0.5, 1, 2, 4, 8, 16, 16]
    assert retries.pause_after(1_000) == 16


def test_a_stream_is_opened_six_times_and_six_times_more_after_a_line(pauses: list[float]) -> None:
    away = httpx.ConnectError("away")
    script = Script(state_response(), *[away] * 6)
    seat = client(script).seat("S", "token")
    with pytest.raises(httpx.ConnectError):
        list(seat.events())
    assert script.answers == []
    assert pauses == GROWING
    pauses.clear()
    script.answers = [away, away, stream(": hello\n"), *[away] * 5]
    with pytest.raises(httpx.ConnectError):
        list(seat.events())
    assert script.answers == []
    assert pauses == [0.25, 0.5, *GROWING]


def test_a_stream_without_lines_counts_as_a_failure(pauses: list[float]) -> None:
    script = Script(state_response(), *[stream()] * 7, httpx.ConnectError("away"))
    with pytest.raises(httpx.ConnectError):
        list(client(script).seat("S", "token").events())
    assert pauses == [*GROWING, 8, 16]


def test_a_refused_stream_may_be_opened_later(pauses: list[float]) -> None:
    busy = httpx.Response(503, headers={"Retry-After": "3"})
    script = Script(state_response(), busy, stream(END))
    assert [each.event for each in client(script).seat("S", "token").events()] == ["end"]
    assert pauses == [3]
    assert {each.headers["Accept"] for each in script.heard[1:]} == {"text/event-stream"}
    assert {each.headers["Authorization"] for each in script.heard[1:]} == {"Bearer token"}


def test_a_reader_joins_the_lines_of_each_message() -> None:
    reader = retries.Reader()
    text = "id:1|event:  a|data:x:y|data: z|retry: 9|: hello|||data||id: 2||data: w|"
    found = [each for each in map(reader.read, text.split("|")) if each is not None]
    assert [(each.event, each.data, each.id) for each in found] == [
        (" a", "x:y\nz", "1"), ("message", "", None), ("message", "w", None),
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["<html>", "[]", "null", json.dumps({"status": 404, "code": "x", "detail": "No."})])
def test_a_refusal_without_a_problem_document_has_its_status(text: str) -> None:
    with pytest.raises(ProblemError) as refused:
        client(Script(httpx.Response(404, text=text))).games()
    found = refused.value
    assert (found.status, found.code, found.errors, found.rules) == (404, "", [], [])
    assert found.detail == "404 Not Found, and no problem document."


def test_a_problem_document_needs_no_more_than_four_members() -> None:
    body = {"status": 409, "code": "seat-taken", "detail": "No.", "errors": []}
    with pytest.raises(ProblemError) as refused:
        client(Script(httpx.Response(409, json=body))).games()
    assert (refused.value.code, refused.value.problem) == ("seat-taken", body)


def test_the_rules_of_a_refusal_are_those_of_its_faults() -> None:
    refused = problem(422, "illegal-move", "HR-1", "HR-2")
    body = refused.json()
    body["errors"].insert(1, {"in": "body", "pointer": "", "detail": "No."})
    with pytest.raises(ProblemError) as raised:
        client(Script(httpx.Response(422, json=body))).games()
    assert raised.value.rules == ["HR-1", "HR-2"]
    assert raised.value.errors == body["errors"]


def test_a_client_closes_its_connections_at_the_end_of_its_block() -> None:
    with client(Script()) as opened:
        assert isinstance(opened, Client)
    with pytest.raises(RuntimeError, match="closed"):
        opened.games()
