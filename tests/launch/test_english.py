"""The English lint finds what its rules forbid, nothing else, and its allowed counts are exact."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tools.english import all_findings, complaints, count_by_folder, findings_in, load_counts, lowered, main, render
from tools.english_sources import (
    Text,
    contract_texts,
    lua_texts,
    message_texts,
    page_texts,
    python_texts,
    read_texts,
    script_texts,
    settings_texts,
)


def rules(kind: str, text: str, path: str = "service/x.py") -> list[int]:
    return [finding.rule for finding in findings_in(Text(path, 1, kind, text))]


@pytest.mark.parametrize(
    ("rule", "kind", "bad", "good"),
    [
        (1, "constant", "How long a reader waits.", "Seconds that a reader waits."),
        (1, "module", "What no plain request has.", "Bytes that exclude a request from the fast parser."),
        (1, "constant", "So many items are sent at once.", "Maximum number of items per batch."),
        (1, "summary", "Have events told to an address", "Create a webhook"),
        (1, "summary", "Create a webhook.", "Create a webhook"),
        (2, "function", "Return the quota of who has no key.", "Return the quota of anonymous callers."),
        (2, "page", "Those who wait are notified.", "Waiting clients are notified. Who waits? Nobody."),
        (2, "comment", "It is kept.\nWhat came before is dropped.", "It is kept.\nEarlier values are dropped."),
        (2, "page", "The key of whom it concerns.", "The key of the caller."),
        (2, "contract", "Refuses all that is nested.", "Refuses nested values."),
        (3, "page", "Flask takes the rest, and so is the body.", "Flask takes the rest. It reads the body."),
        (3, "page", "word " * 26 + ".", "word " * 25 + "."),
        (4, "function", "Tell whether a job has ended.", "Return whether a job has ended."),
        (4, "comment", "The header says when.", "The header names the time."),
        (4, "page", "The store knows the session.", "The store holds the session."),
        (6, "name", "MOST_FAULTS", "MAX_FAULTS"),
        (6, "name", "TOGETHER", "MAX_BATCH"),
        (6, "name", "MAX_NAMES", "MAX_NAMES"),
        (8, "private", "Count the rows.", "Count the rows, because the index may hold expired ones."),
        (9, "subject", "Who plays at random lists fewer moves", "tests: list moves only for seats to act"),
        (9, "subject", "tests: " + "x" * 66, "tests: " + "x" * 65),
        (10, "page", "The bar is to be beaten.", "The challenger must beat the bar."),
        (10, "page", "The behavior of a peer.", "The behaviour of a peer."),
    ],
)
def test_the_lint_finds_the_bad_text_and_passes_the_good_one(rule: int, kind: str, bad: str, good: str) -> None:
    assert rules(kind, bad) == [rule]
    assert rules(kind, good) == []


@pytest.mark.parametrize(
    ("kind", "text", "path"),
    [
        pytest.param("page", "Send `What is told` to the server.", "docs/x.md", id="code in backticks"),
        pytest.param("page", 'The text was "Those who wait".', "docs/x.md", id="a quotation"),
        pytest.param("page", "See [the page](what-is-told.md).", "docs/x.md", id="the target of a link"),
        pytest.param("function", "Return whether a player was asked.", "games/x.py", id="people at a table"),
        pytest.param("name", "BID_GIVEN", "games/x/notes.py", id="an event of a game"),
        pytest.param("page", "Who waits, and what does a move cost?", "docs/x.md", id="a question of two parts"),
        pytest.param("page", "How to begin", "docs/x.md", id="a heading that names a task"),
        pytest.param(
            "module", "Rows:\n\n    key    hash of all that is told    who", "service/x.py", id="a table in a docstring"
        ),
    ],
)
def test_the_lint_passes(kind: str, text: str, path: str) -> None:
    assert rules(kind, text, path) == []


def test_a_finding_shows_its_line_also_after_code_and_line_breaks() -> None:
    (finding,) = findings_in(Text("docs/x.md", 10, "page", "A `code\nspan` and\nall that follows."))
    assert str(finding).startswith("docs/x.md:12: rule 2: 'all that'")


PYTHON = '''"""A module."""

# A comment
# of two lines.
import re  # a remark

LIMIT: Final = 3
"""Bound."""

text = """
# no comment
"""


class Reader:
    """Reader."""

    def __init__(self) -> None:
        """Begin."""

    def _read(
        self,
    ) -> None:
        """Read
        it."""
        # noqa: X
'''


def test_python_texts_have_their_kinds_and_lines() -> None:
    texts = [(text.line, text.kind, " ".join(text.text.split())) for text in python_texts("x.py", PYTHON)]
    assert texts == [
        (1, "module", "A module."),
        (3, "comment", "A comment of two lines."),
        (5, "comment", "a remark"),
        (7, "name", "LIMIT"),
        (8, "constant", "Bound."),
        (16, "class", "Reader."),
        (19, "function", "Begin."),
        (24, "private", "Read it."),
    ]


def test_an_indented_line_of_a_docstring_is_prose() -> None:
    source = 'class A:\n    def read(self):\n        """Read.\n\n        Refuses all that is nested.\n        """\n'
    (finding,) = (finding for text in python_texts("service/x.py", source) for finding in findings_in(text))
    assert str(finding).startswith("service/x.py:5: rule 2: 'all that'")


def test_pages_scripts_settings_and_messages_are_read_in_pieces() -> None:
    page = "# Title\n\nOne\ntwo.\n\n```sh\ncode\n```\n\n- item\n  more\n\n| a b | c |\n"
    assert [(t.line, t.text) for t in page_texts("x.md", page)] == [
        (1, "Title"),
        (3, "One\ntwo."),
        (10, "item\n  more"),
        (13, "a b"),
    ]
    script = "/** A block\n * comment. */\nx = 1;\n// a\n// b\n"
    assert [(t.line, t.text) for t in script_texts("x.ts", script)] == [(1, "A block\ncomment."), (4, "a\nb")]
    assert [(t.line, t.text) for t in lua_texts("x.lua", "local x\n-- a\n-- b\n")] == [(2, "a\nb")]
    assert [(t.line, t.text) for t in settings_texts("x.yaml", "a: 1  # b\n# c\n")] == [(1, "b"), (2, "c")]
    texts = message_texts("service/texts/en.json", '{\n  "a": {\n    "b": "Text."\n  }\n}\n')
    assert [(t.line, t.text) for t in texts] == [(3, "Text.")]
    assert list(message_texts("service/texts/de.json", '{"a": "Text."}')) == []


def test_the_contract_is_read_without_its_examples_and_each_text_once() -> None:
    document = {
        "paths": {"/v1/x": {"get": {"summary": "List games", "example": {"title": "no text"}}}},
        "components": {
            "schemas": {"A": {"title": "A", "properties": {"title": {"description": "A."}}}, "B": {"title": "A"}}
        },
    }
    assert [(t.path, t.kind, t.text) for t in contract_texts("openapi/x", document)] == [
        ("openapi/x/paths/v1~1x/get/summary", "summary", "List games"),
        ("openapi/x/components/schemas/A/title", "contract", "A"),
        ("openapi/x/components/schemas/A/properties/title/description", "contract", "A."),
    ]


def test_generated_files_are_passed_over(checkout: Path) -> None:
    paths = {text.path.partition("/paths/")[0] for text in read_texts(checkout)}
    assert "clients/python/dorfplatz_client/generated/contract.py" not in paths
    assert {"service/app.py", "openapi/openapi.yaml", "README.md", "service/texts/en.json"} <= paths


def test_counts_may_fall_and_must_be_exact() -> None:
    allowed = {"service/a": 2, "service/b": 2, "service/c": 1}
    current = {"service/a": 3, "service/b": 1}
    assert [line.partition(" findings")[0] for line in complaints(allowed, current)] == [
        "service/a: 3",
        "service/b: 1",
        "service/c: 0",
    ]
    assert lowered(allowed, current) == {"service/a": 2, "service/b": 1}
    assert complaints(current, current) == []
    assert render({"b": 1, "a": 2}) == '{\n  "a": 2,\n\n  "b": 1\n}\n'


def test_no_folder_has_more_or_fewer_findings_than_allowed(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(checkout)
    assert complaints(load_counts(), count_by_folder(all_findings())) == []


def test_the_hook_refuses_a_long_subject(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    message = tmp_path / "message"
    message.write_text("What a change does\n\nReasons.\n")
    with pytest.raises(SystemExit, match="begin with an imperative"):
        main(["--subject", str(message)])
    message.write_text("docs: name the limits\n\nReasons.\n")
    with pytest.raises(SystemExit) as end:
        main(["--subject", str(message)])
    assert end.value.code == 0
    assert capsys.readouterr().out == ""


def test_check_lists_the_findings_of_a_folder(checkout: Path) -> None:
    command = ["python3", "dev.py", "check", "--english", "openapi/examples"]
    done = subprocess.run(command, cwd=checkout, check=True, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "english: 0 findings"
