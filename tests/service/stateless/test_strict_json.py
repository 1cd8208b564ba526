"""The one parser of JSON from outside refuses texts that two readers may read differently."""

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from flask.testing import FlaskClient
from hypothesis import given, settings
from hypothesis import strategies as st

from service.validation.strict_json import DEFAULT_BOUNDS, UnfitJsonError, parse
from tests.service.stateless.test_bad_input import MOVE

REPEATED = {
    '{"a":1,"a":2}': "/a",
    '{"a":1,"\\u0061":2}': "/a",
    '{"a":{},"b":[0,{"c":1,"d":2,"c":3}]}': "/b/1/c",
    '[[{"x":":","y":{"":1,"":1}}]]': "/0/0/y/",
    '{"a/b~":1,"a/b~":1}': "/a~1b~0",
    '{"\\"{":[],"\\"{":{}}': '/"{',
    '{"a":[1,2],"b":{"a":{"a":1}},"a":null}': "/a",
    '{"a":"b","b":"a","c":["a","a"],"b":1}': "/b",
    '{"\\ud83d\\ude00":1,"😀":1}': "/😀",
}
"""Texts with a repeated name, and its pointer."""

OUT_OF_RANGE = {
    "[1e400]": "malformed-json",
    "[-1e999]": "malformed-json",
    "[NaN]": "malformed-json",
    "[-Infinity]": "malformed-json",
    "[Infinity]": "malformed-json",
    "[01]": "malformed-json",
    "[+1]": "malformed-json",
    "[9007199254740992]": "number-out-of-range",
    "[-9007199254740992]": "number-out-of-range",
    f"[{'9' * 30}]": "number-out-of-range",
    f"[{'9' * 5000}]": "malformed-json",
    '["\\ud800"]': "malformed-json",
    '["\\udc00\\ud800"]': "malformed-json",
    "\ufeff[]": "malformed-json",
    '["\x00"]': "malformed-json",
    '["\x01"]': "malformed-json",
    "[" * 33 + "]" * 33: "json-too-deep",
    '{"a":' * 100_000 + "1" + "}" * 100_000: "too-many-values",
    "[" * 10_000 + "]" * 10_000: "json-too-deep",
}


@pytest.mark.parametrize(("text", "pointer"), REPEATED.items())
def test_a_repeated_name_is_refused_with_its_pointer(text: str, pointer: str) -> None:
    with pytest.raises(UnfitJsonError) as unfit:
        parse(text.encode(), DEFAULT_BOUNDS)
    assert (unfit.value.code, [fault.pointer for fault in unfit.value.errors]) == ("malformed-json", [pointer])


@pytest.mark.parametrize(("text", "code"), OUT_OF_RANGE.items(), ids=lambda part: part[:20])
def test_ambiguous_json_is_refused(text: str, code: str) -> None:
    with pytest.raises(UnfitJsonError) as unfit:
        parse(text.encode(), DEFAULT_BOUNDS)
    assert unfit.value.code == code


@pytest.mark.parametrize(("text", "value"), [("[-0]", 0), ("[-0.0]", 0), ("[7.0]", 7), ("[1e2]", 100), ("[0.5]", 0.5)])
def test_equal_numbers_are_read_alike(text: str, value: float) -> None:
    (found,) = parse(text.encode(), DEFAULT_BOUNDS)
    assert (found, type(found)) == (value, type(value))


class _Twice(list[tuple[str, Any]]):
    """An object as its pairs, some of which may have one name."""


NAMES = st.sampled_from(["a", "b", ":", '"', "\\", "{", "ü"])
VALUES = st.recursive(
    st.sampled_from([None, 1, 0.5, "a:b", '":{"', "\\"]),
    lambda inner: st.lists(inner, max_size=3) | st.lists(st.tuples(NAMES, inner), max_size=3).map(_Twice),
    max_leaves=12,
)


def written(value: object) -> str:
    if isinstance(value, _Twice):
        return "{" + ", ".join(f"{json.dumps(name)} : {written(item)}" for name, item in value) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(written, value)) + "]"
    return json.dumps(value)


def repeats(value: object) -> bool:
    if isinstance(value, _Twice):
        names = [name for name, _ in value]
        return len(set(names)) < len(names) or any(repeats(item) for _, item in value)
    return isinstance(value, list) and any(map(repeats, value))


@settings(max_examples=300)
@given(VALUES)
def test_repeated_names_and_no_others_are_found_at_every_depth(value: object) -> None:
    text = written(value).encode()
    try:
        assert parse(text, DEFAULT_BOUNDS) == json.loads(text)
        refused = False
    except UnfitJsonError as unfit:
        refused = unfit.errors[0].reason == "repeated"
    assert refused == repeats(value)


def post_body(client: FlaskClient, path: str, body: str) -> tuple[int, str, list[str]]:
    answer: Any = client.post(path, data=body, content_type="application/json")
    return answer.status_code, answer.json["code"], [error["pointer"] for error in answer.json.get("errors", ())]


@pytest.mark.parametrize(
    ("text", "pointer"),
    [
        (json.dumps(MOVE)[:-1] + ', "move": {}}', "/move"),
        (json.dumps(MOVE).replace('"amount": 1', '"amount": 1, "amount": 2'), "/move/amount"),
        (json.dumps(MOVE).replace('"heap": 9', '"heap": 9, "heap": 9'), "/snapshot/table/heap"),
    ],
)
def test_bodies_with_repeated_names_are_refused(pebbles: FlaskClient, text: str, pointer: str) -> None:
    assert post_body(pebbles, "/v1/games/pebbles/moves", text) == (400, "malformed-json", [pointer])


READERS = re.compile(r"(?:msgspec\.json\.decode|json\.loads?|\.json)\(|json\.Decoder\(")
ARRIVALS = (
    "service/http",
    "service/contract",
    "service/api",
    "service/webhooks",
    "service/validation",
    "workers/webhooks",
    "workers/simulate",
)
"""Entry points of texts from outside."""

OWN_TEXTS = {
    "service/http/idempotency.py",  # sealed answers
    "service/http/json_patch.py",  # states to compare
    "service/contract/json_schemas.py",
    "service/contract/document.py",
    "service/contract/examples.py",
    "service/contract/schema_forms.py",
    "service/validation/strict_json.py",
    "workers/simulate/tally.py",  # results of games
}
"""Readers with another parser, because the service itself has written the JSON."""


def test_json_from_outside_is_read_by_one_parser(checkout: Path) -> None:
    files = [file for folder in ARRIVALS for file in (checkout / folder).rglob("*.py")]
    found = {str(file.relative_to(checkout)) for file in files if READERS.search(file.read_text("utf-8"))}
    assert found == OWN_TEXTS


def test_nothing_depends_on_how_msgspec_reads_a_repeated_name() -> None:
    assert msgspec.json.decode('{"a":1,"a":2}') == {"a": 2}
