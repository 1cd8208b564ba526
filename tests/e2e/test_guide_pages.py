"""The guides on retries, errors, pictures and event streams work when pasted."""

import json
from pathlib import Path

from tests.e2e.pages import needs_curl_and_jq
from tests.e2e.test_session_pages import pasted

pytestmark = needs_curl_and_jq


def test_a_repeated_request_acts_once(service: str, checkout: Path, tmp_path: Path) -> None:
    replayed, reused, once, stale = pasted("guides/retries.md", service, checkout, tmp_path)
    assert replayed.lower() == "idempotency-replayed: true"
    assert json.loads(reused) == [422, "idempotency-key-reused"]
    assert once == "made once"
    assert json.loads(stale) == [412, "stale-version"]


def test_a_problem_document_names_each_fault(service: str, checkout: Path, tmp_path: Path) -> None:
    problem, *faults, listed, illegal = pasted("guides/errors.md", service, checkout, tmp_path)
    assert json.loads(problem) == [422, "invalid-body", "Invalid body"]
    assert sorted(json.loads(line)[:2] for line in faults) == [["body", "/game"], ["body", "/seats"]]
    assert json.loads(listed)[0] == 412
    assert json.loads(illegal) == ["illegal-move", True]


def test_a_ticket_opens_the_stream(service: str, checkout: Path, tmp_path: Path) -> None:
    part, *messages = pasted("guides/event-streams.md", service, checkout, tmp_path)
    assert part.startswith("events?")
    by_ticket, by_token = messages[: len(messages) // 2], messages[len(messages) // 2 :]
    assert by_ticket == [f"event: {name}" for name in by_token]
    assert (by_token[0], by_token[-1]) == ("state", "end")


def test_a_picture_is_shown_drawn_as_it_was_and_not_sent_again(service: str, checkout: Path, tmp_path: Path) -> None:
    said = pasted("guides/pictures.md", service, checkout, tmp_path)
    assert said == ["<svg", "image/png", "<svg", "304"]
