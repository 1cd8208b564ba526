"""Recorded texts follow a change of the text files."""

import json
from pathlib import Path

import pytest

from tests.goldens import PROXY_DETAILS, main, proxy_document, reworded, rewording, templates

OLD = {
    "details": {"full": "A queue is full; wait {seconds} seconds.", "same": "Stays as it is."},
    "n": {"a": "{x:one|{x}} left"},
}
NEW = {
    "details": {"full": "Wait {seconds} s: the queue is full.", "same": "Stays as it is."},
    "n": {"a": "only {x} left"},
}


def test_sentences_of_changed_templates_are_reworded_with_their_values() -> None:
    example = {"body": [{"detail": "A queue is full; wait 7 seconds."}, "Stays as it is.", 7, None, "A queue is full"]}
    assert reworded(example, rewording(OLD, NEW)) == {
        "body": [{"detail": "Wait 7 s: the queue is full."}, "Stays as it is.", 7, None, "A queue is full"],
    }


def test_templates_with_plural_forms_and_short_ones_are_left_to_the_recorder() -> None:
    assert dict(templates(OLD)) == {"details.full": OLD["details"]["full"], "details.same": "Stays as it is."}
    assert rewording({"a": "{x} won"}, {"a": "{x} wins"})("Anna won") == "Anna won"


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_document_of_the_proxy_gets_its_texts_and_length(newline: str) -> None:
    texts = {"titles": {"away": "Ärger", "bad-request": "Bad"}, "details": {"away": "Wait.", "bad-request": "No."}}
    body = '{"code":"away","title":"x","detail":"y"}'
    stored = newline.join(("HTTP/1.1 503 X", "Content-Length: 1", "", body)).encode()
    head, _, written = proxy_document(stored, texts).partition((newline * 2).encode())
    assert json.loads(written) == {"code": "away", "title": "Ärger", "detail": "Wait."}
    assert head.endswith(f"Content-Length: {len(written)}".encode())
    kept = proxy_document(stored.replace(b"away", b"bad-request"), texts)
    assert b'"detail":"y"' in kept
    assert "bad-request" in PROXY_DETAILS


def test_the_committed_proxy_documents_are_up_to_date(checkout: Path) -> None:
    texts = json.loads((checkout / "service/texts/en.json").read_bytes())
    for file in (checkout / "deploy/errors").glob("*.http"):
        assert proxy_document(file.read_bytes(), texts) == file.read_bytes(), main.__doc__
