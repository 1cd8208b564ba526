"""The page on generated clients shows the measurement, which is of the present contract."""

import pytest

from bench import clients
from bench.generators import CLIENTS
from bench.recording import Contract


def test_the_page_matches_the_stored_results() -> None:
    result = clients.load_result()
    assert clients.PAGE.read_text("utf-8") == clients.document(result)
    assert [row.client for row in result.rows] == [kind.name for kind in CLIENTS]


def test_the_document_has_no_form_of_schema_that_was_not_tried() -> None:
    new = clients.shapes(Contract().schemas) - set(clients.load_result().shapes)
    assert not new, "try the generators on them: python3 dev.py bench clients"


@pytest.mark.parametrize(
    ("sent", "seen", "where"),
    [
        ({"a": [1, {"b": None}]}, {"a": [1, {"b": None}]}, []),
        ({"at": "2026-11-22T20:27:15.430Z"}, {"at": "2026-11-22T21:27:15.430000+01:00"}, []),
        ({"at": "2026-11-22T20:27:15.430Z"}, {"at": "2026-11-22T20:27:15Z"}, ["at", "."]),
        ({"a": [1, {"b": None}]}, {"a": [1, {}]}, ["a", "1", "b"]),
        ({"a": [1, 2]}, {"a": [1]}, ["a", "."]),
        ({"code": 2**41}, {"code": 2**41 % 2**32}, ["code", "."]),
        ("right", "!right", ["."]),
        ({"level": "tuned"}, {"level": "tuned", "top": 3}, []),
        ({"level": "tuned"}, {"level": "tuned", "top": 4}, ["top"]),
        ({"level": "tuned", "place": None}, {"level": "tuned"}, []),
    ],
)
def test_lost_parts_are_reported_with_their_place(sent: object, seen: object, where: list[str]) -> None:
    assert clients.difference(sent, seen, {"top": [3], "place": [None]}) == where
