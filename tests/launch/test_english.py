"""The English lint finds what its rules forbid, nothing else, and its allowed counts are exact."""

from pathlib import Path

import pytest

from tools.english import findings_in
from tools.english_sources import (
    Text,
    python_texts,
    read_texts,
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
        (2, "function", "Return how many seats wait.", "Return the number of waiting seats."),
        (2, "constant", "After so many retries.", "Maximum number of retries."),
        (2, "comment", "The board: what lies there.", "The board: its pieces and their moves."),
        (3, "page", "Flask takes the rest, and so is the body.", "Flask takes the rest. It reads the body."),
        (3, "page", "word " * 26 + ".", "word " * 25 + "."),
        (4, "function", "Tell whether a job has ended.", "Return whether a job has ended."),
        (4, "comment", "The header says when.", "The header names the time."),
        (4, "page", "The store knows the session.", "The store holds the session."),
        (6, "name", "MOST_FAULTS", "MAX_FAULTS"),
        (6, "name", "TOGETHER", "MAX_BATCH"),
        (6, "name", "NAMES_KEPT", "MAX_NAMES"),
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
        pytest.param("class", "Ask for a letter.", "games/x.py", id="a move of a game"),
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


def test_an_indented_line_of_a_docstring_is_prose() -> None:
    source = 'class A:\n    def read(self):\n        """Read.\n\n        Refuses all that is nested.\n        """\n'
    (finding,) = (finding for text in python_texts("service/x.py", source) for finding in findings_in(text))
    assert str(finding).startswith("service/x.py:5: rule 2: 'all that'")


def test_generated_files_are_passed_over(checkout: Path) -> None:
    paths = {text.path.partition("/paths/")[0] for text in read_texts(checkout)}
    assert "clients/python/dorfplatz_client/generated/contract.py" not in paths
    assert {"service/app.py", "openapi/openapi.yaml", "README.md", "service/texts/en.json"} <= paths
