"""Retries, resumption and refusals of `dorfplatz-client`; every response here is scripted."""

import io
import json

import httpx
import pytest
from rich.console import Console

from dorfplatz_client import IllegalMoveError, ProblemError, StaleVersionError, retries
from dorfplatz_client.progress import progress_bar
from tests.service.scripted import STATE, Script, bodies, client, job, problem, state_response, stream


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retries, "PAUSE_SECONDS", 0.0)


def test_a_move_whose_answer_is_lost_is_repeated_with_key_and_version(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO", "dorfplatz_client")
    played = httpx.Response(201, json={**STATE, "version": 8, "actors": [1]})
    script = Script(
        state_response(), httpx.ReadError("lost"), problem(409, "operation-running"), problem(503, "busy"), played
    )
    seat = client(script).seat("S", "token")
    assert seat.move({"code": 3})["version"] == 8
    sent = [(each.headers["Idempotency-Key"], each.headers["If-Match"], each.content) for each in script.heard[1:]]
    assert len(sent) == 4
    assert len(set(sent)) == 1
    assert sent[0][1] == '"7"'
    assert not seat.is_asked
    waits = [each.getMessage() for each in caplog.records if each.name == "dorfplatz_client"]
    assert [each.partition(": ")[2] for each in waits] == ["409 operation-running", "503 busy"]


@pytest.mark.parametrize(
    ("answer", "kind", "rules"),
    [
        pytest.param(problem(422, "illegal-move", "HR-1"), IllegalMoveError, ["HR-1"], id="a rule forbids it"),
        pytest.param(problem(412, "stale-version"), StaleVersionError, [], id="the table moved on"),
    ],
)
def test_a_refusal_raises_with_its_rules(answer: httpx.Response, kind: type[ProblemError], rules: list[str]) -> None:
    seat = client(Script(state_response(), answer)).seat("S", "token")
    with pytest.raises(kind) as refused:
        seat.move({"code": 3})
    assert refused.value.rules == rules
    assert refused.value.status == answer.status_code


def test_a_stream_goes_on_after_the_last_cursor() -> None:
    first = stream(": hello\n\n", 'id: 7-1\nevent: state\ndata: {"a":\ndata: 1}\n\n', "event: change\ndata: {}\n")
    second = stream("id: 8-1\nevent: change\ndata: {}\n\n", "event: end\ndata: {}\n\n")
    script = Script(state_response(), first, httpx.ReadError("lost"), second)
    told = list(client(script).seat("S", "token").events())
    assert [(each.event, each.id) for each in told] == [("state", "7-1"), ("change", "8-1"), ("end", None)]
    assert json.loads(told[0].data) == {"a": 1}
    assert [each.headers.get("Last-Event-ID") for each in script.heard[1:]] == [None, "7-1", "7-1"]


def test_a_stream_that_is_refused_is_an_exception() -> None:
    with pytest.raises(ProblemError) as refused:
        list(client(Script(state_response(), problem(410, "history-cut"))).seat("S", "token").events())
    assert refused.value.code == "history-cut"


def test_a_job_that_failed_raises_its_problem() -> None:
    failed = job("failed", problem=json.loads(problem(422, "broken-view", "HR-2").content))
    ended = stream("event: end\ndata: {}\n\n")
    script = Script(httpx.Response(202, json=job("queued")), ended, httpx.Response(200, json=failed))
    with pytest.raises(ProblemError) as refused:
        client(script).search("hoher-rat", budget={"iterations": 4}, view={}).result()
    assert refused.value.rules == ["HR-2"]


def test_a_job_that_is_canceled_has_no_result() -> None:
    canceled = httpx.Response(200, json=job("canceled"))
    script = Script(httpx.Response(200, json=job("running")), canceled, stream("event: end\ndata: {}\n\n"), canceled)
    running = client(script).job("J")
    running.cancel()
    with pytest.raises(RuntimeError, match="was canceled"):
        running.result()
    assert bodies(script)[1] == ("DELETE", "/jobs/J", None)


def test_a_job_is_looked_at_with_the_token_of_its_seat() -> None:
    running = {"id": "j", "state": "running"}
    answers = [httpx.Response(202, json=running), httpx.Response(200, json={**running, "state": "done"})]
    script = Script(state_response(), *answers)
    job = client(script).seat("S", "token").hint(iterations=10)
    assert (job.shown["state"], job.look()["state"], job.shown["state"]) == ("running", "done", "done")
    assert script.heard[-1].headers["Authorization"] == "Bearer token"


def test_a_seat_reads_what_has_happened() -> None:
    script = Script(state_response(), httpx.Response(200, json={"total": 2, "moves": []}))
    assert client(script).seat("S", "token").history()["total"] == 2
    assert bodies(script)[-1] == ("GET", "/sessions/S/history", None)


def test_a_name_of_somebody_else_s_stays_one_part_of_the_path() -> None:
    script = Script(*[httpx.Response(200, json={}) for _ in range(3)], state_response())
    wanted = client(script)
    wanted.game("../jobs?x")
    wanted.rules("a/b")
    wanted.job("../sessions")
    wanted.seat("../games#", "token")
    sent = [each.url.raw_path.decode().removeprefix("/v1/") for each in script.heard]
    assert sent == ["games/..%2Fjobs%3Fx", "games/a%2Fb/rules", "jobs/..%2Fsessions", "sessions/..%2Fgames%23"]


def test_a_hint_has_the_budget_that_is_given_and_no_other() -> None:
    script = Script(state_response(), httpx.Response(202, json=job("queued")))
    client(script).seat("S", "token").hint(iterations=40, milliseconds=None, top=2)
    wanted = {"game": "hoher-rat", "session": "S", "budget": {"iterations": 40}, "top": 2}
    assert bodies(script)[1] == ("POST", "/jobs/searches", wanted)


def test_a_job_is_priced_and_a_key_is_shown() -> None:
    script = Script(
        httpx.Response(200, json={**job("queued"), "cost": {"playouts": 7}}), httpx.Response(200, json={"id": "k"})
    )
    asked = client(script)
    assert asked.cost("simulations", game="hoher-rat", games=7) == 7
    assert asked.key()["id"] == "k"
    assert bodies(script)[0] == ("POST", "/jobs/simulations", {"game": "hoher-rat", "games": 7})
    assert [each.url.query for each in script.heard] == [b"validate_only=true", b""]


def test_one_who_resigns_sees_the_end_and_has_its_rematch() -> None:
    over = httpx.Response(200, json={**STATE, "status": "finished", "version": 8})
    again = httpx.Response(201, json={"id": "S2", "token": "other"})
    script = Script(state_response(), httpx.Response(200, json={}), over, again, state_response())
    seat = client(script).seat("S", "token")
    seat.resign(forfeit=True)
    assert seat.is_over
    rematch = seat.rematch()
    assert (rematch.session, rematch.token, rematch.is_over) == ("S2", "other", False)
    assert bodies(script)[1:] == [
        ("POST", "/sessions/S/resign", {"then": "forfeit"}),
        ("GET", "/sessions/S", None),
        ("POST", "/sessions/S/rematch", None),
        ("GET", "/sessions/S2", None),
    ]


def test_listed_tables_come_page_by_page_and_a_seat_there_is_claimed() -> None:
    pages = [{"sessions": [{"id": "A"}], "next": "c"}, {"sessions": [{"id": "B"}]}]
    taken = httpx.Response(201, json={"token": "mine"})
    script = Script(*(httpx.Response(200, json=page) for page in pages), taken, state_response())
    listed = client(script)
    assert [table["id"] for table in listed.tables("hoher-rat")] == ["A", "B"]
    assert [each.url.params.get("after") for each in script.heard] == [None, "c"]
    assert script.heard[0].url.params["open"] == "true"
    assert listed.claim("B", 1, name="Tom").token == "mine"  # noqa: S105
    assert bodies(script)[2] == ("POST", "/sessions/B/seats/1/claim", {"name": "Tom"})


def test_puzzles_come_page_by_page_and_a_move_answers_one() -> None:
    pages = [
        httpx.Response(200, json={"puzzles": [{"id": "a"}, {"id": "b"}], "next": "/v1/games/wichtel/puzzles?after=b"}),
        httpx.Response(200, json={"puzzles": [{"id": "c"}]}),
    ]
    script = Script(*pages, httpx.Response(200, json={"id": "c"}), httpx.Response(200, json={"right": True}))
    service = client(script)
    assert [puzzle["id"] for puzzle in service.puzzles("wichtel", difficulty=2)] == ["a", "b", "c"]
    assert [dict(request.url.params) for request in script.heard] == [
        {"limit": "100", "difficulty": "2"},
        {"limit": "100", "difficulty": "2", "after": "b"},
    ]
    assert service.puzzle("wichtel", "c")["id"] == "c"
    assert service.answer("wichtel", "c", {"code": 7})["right"]
    assert bodies(script)[2:] == [
        ("GET", "/games/wichtel/puzzles/c", None),
        ("POST", "/games/wichtel/puzzles/c/answers", {"move": {"code": 7}}),
    ]


def test_a_bar_shows_how_far_a_job_is() -> None:
    page = io.StringIO()
    with progress_bar("games", Console(file=page, force_terminal=True, width=60)) as show:
        show(3, 8)
    assert "3/8" in page.getvalue()
