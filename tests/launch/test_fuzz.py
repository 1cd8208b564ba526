"""A short fuzz finds nothing in the service, and a fuzz of a broken service reports its fault."""

from collections import Counter
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.fuzz import __main__ as command
from tests.fuzz.served import served

REQUESTS = 600


@pytest.mark.thorough
def test_a_short_run_finds_nothing_and_reaches_all_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with served(tmp_path) as service:
        assert command.fuzz(service, REQUESTS, 19) == []
    said = capsys.readouterr().out
    assert f"{REQUESTS} requests" in said
    for status in (200, 201, 202, 401, 403, 404, 422):
        assert f" {status}: " in said


def build_response(status: int, body: Any, kind: str = "application/problem+json") -> httpx.Response:
    request = httpx.Request("GET", "http://127.0.0.1/")
    return httpx.Response(status, json=body, headers={"Content-Type": kind}, request=request)


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        pytest.param(build_response(200, {}, "application/json"), "", id="well"),
        pytest.param(build_response(422, {"code": "invalid-body"}), "", id="refused"),
        pytest.param(build_response(503, {"code": "queue-full"}), "", id="turned away"),
        pytest.param(build_response(503, {"code": "store-away"}), "503 store-away", id="a store that is away"),
        pytest.param(build_response(503, {"code": "too-much-work"}), "503 too-much-work", id="too much work"),
        pytest.param(build_response(500, {"code": "internal-error"}), "500 internal-error", id="a fault of ours"),
        pytest.param(build_response(404, {}, "text/html"), "404 without a problem document", id="no problem document"),
    ],
)
def test_kinds_of_faults(answer: httpx.Response, fault: str) -> None:
    assert command._fault(answer) == fault


class Broken:
    """A service that has ended and logged an error."""

    def faults(self) -> list[str]:
        return ["web.log: unforeseen"]

    def runs(self) -> bool:
        return False


def test_a_service_that_ends_grows_or_logs_an_error_fails_the_run() -> None:
    tally = command.Tally(faults=["500 internal-error after 0.1 s: curl"], answers=Counter({("readGame", 500): 1}))
    found = command.judge(Broken(), tally, 0, 100 * 2**20)  # type: ignore[arg-type]  # all its requests
    assert found == [
        "500 internal-error after 0.1 s: curl",
        "web.log: unforeseen",
        "a web process has ended",
        "the web processes grew by 100 MiB",
    ]
