"""How `dorfplatz-client` sends again, resumes and refuses; every answer here is written down."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from dorfplatz_client import Client, IllegalMoveError, ProblemError, StaleVersionError, transport
from tests.clients import packages

STATE = {"status": "running", "version": 7, "you": {"seat": 0}, "actors": [0]}


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "PAUSE_SECONDS", 0.0)


class Script:
    """A service that answers by a script, and remembers what it was asked."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        """Take the answers in order."""
        self.answers = list(answers)
        self.heard: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        """Give the next answer."""
        self.heard.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def problem(status: int, code: str, *rules: str) -> httpx.Response:
    """Return a problem document."""
    errors = [{"in": "body", "pointer": "/move", "rule": rule, "detail": "No."} for rule in rules]
    body = {"type": f"/problems/{code}", "title": code, "status": status, "code": code, "detail": "No.", "trace_id": ""}
    return httpx.Response(status, json={**body, "errors": errors})


def client(script: Script) -> Client:
    """Return a client of a script."""
    return Client("http://dorfplatz.test", transport=httpx.MockTransport(script))


def seen() -> httpx.Response:
    return httpx.Response(200, json=STATE, headers={"ETag": '"7.en."'})


def test_the_generated_files_of_the_packages_are_the_contract_s() -> None:
    for file, text in packages.contents().items():
        assert file.read_text() == text, f"{file} is stale: python3 dev.py clients"


def test_a_move_whose_answer_is_lost_is_sent_again_with_the_same_key_and_version() -> None:
    played = httpx.Response(201, json={**STATE, "version": 8, "actors": [1]})
    script = Script(seen(), httpx.ReadError("lost"), problem(409, "operation-running"), problem(503, "busy"), played)
    seat = client(script).seat("S", "token")
    assert seat.move({"code": 3})["version"] == 8
    sent = [(each.headers["Idempotency-Key"], each.headers["If-Match"], each.content) for each in script.heard[1:]]
    assert len(sent) == 4
    assert len(set(sent)) == 1
    assert sent[0][1] == '"7"'
    assert not seat.is_asked


def test_two_moves_have_two_keys() -> None:
    script = Script(seen(), httpx.Response(201, json=STATE), httpx.Response(201, json=STATE))
    seat = client(script).seat("S", "token")
    seat.move({"code": 3})
    seat.move({"code": 3})
    assert script.heard[1].headers["Idempotency-Key"] != script.heard[2].headers["Idempotency-Key"]


@pytest.mark.parametrize(
    ("answer", "kind", "rules"),
    [
        pytest.param(problem(422, "illegal-move", "HR-1"), IllegalMoveError, ["HR-1"], id="a rule forbids it"),
        pytest.param(problem(412, "stale-version"), StaleVersionError, [], id="the table moved on"),
        pytest.param(httpx.Response(404, text="<html>"), ProblemError, [], id="a proxy answers in its own words"),
    ],
)
def test_a_refusal_is_an_exception_with_its_rules(
    answer: httpx.Response, kind: type[ProblemError], rules: list[str]
) -> None:
    seat = client(Script(seen(), answer)).seat("S", "token")
    with pytest.raises(kind) as refused:
        seat.move({"code": 3})
    assert refused.value.rules == rules
    assert refused.value.status == answer.status_code


def test_a_service_that_stays_away_is_told_in_the_end() -> None:
    script = Script(*[httpx.ConnectError("away")] * transport.ATTEMPTS)
    with pytest.raises(httpx.ConnectError):
        client(script).games()
    assert script.answers == []


def stream(*parts: str) -> httpx.Response:
    return httpx.Response(200, text="".join(parts), headers={"Content-Type": "text/event-stream"})


def test_a_stream_goes_on_after_the_last_cursor() -> None:
    first = stream(": hello\n\n", 'id: 7-1\nevent: state\ndata: {"a":\ndata: 1}\n\n', "event: change\ndata: {}\n")
    second = stream("id: 8-1\nevent: change\ndata: {}\n\n", "event: end\ndata: {}\n\n")
    script = Script(first, httpx.ReadError("lost"), second)
    told = list(client(script).seat("S", "token").events())
    assert [(each.event, each.id) for each in told] == [("state", "7-1"), ("change", "8-1"), ("end", None)]
    assert json.loads(told[0].data) == {"a": 1}
    assert [each.headers.get("Last-Event-ID") for each in script.heard] == [None, "7-1", "7-1"]


def test_a_stream_that_is_refused_is_an_exception() -> None:
    with pytest.raises(ProblemError) as refused:
        list(client(Script(problem(410, "history-cut"))).seat("S", "token").events())
    assert refused.value.code == "history-cut"


def job(state: str, **more: Any) -> dict[str, Any]:
    return {"id": "J", "kind": "search", "state": state, "progress": {"done": 0, "total": 4}, **more}


def test_a_job_that_failed_raises_its_problem() -> None:
    failed = job("failed", problem=json.loads(problem(422, "broken-view", "HR-2").content))
    ended = stream("event: end\ndata: {}\n\n")
    script = Script(httpx.Response(202, json=job("queued")), ended, httpx.Response(200, json=failed))
    with pytest.raises(ProblemError) as refused:
        client(script).search("hoher-rat", budget={"iterations": 4}, view={}).result()
    assert refused.value.rules == ["HR-2"]
