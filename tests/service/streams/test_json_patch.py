"""A JSON Patch leads from one text to another, and names only differences."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.http.json_patch import Known, differences
from tests.service.streams.hearing import patched

KEYS = st.sampled_from(("a", "b/c", "d~e", ""))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from(("", "x", "ü", 1.0, 0.5)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)


def between(before: Any, after: Any) -> list[dict[str, Any]]:
    steps = differences(msgspec.json.encode(before), msgspec.json.encode(after), {})
    return msgspec.json.decode(msgspec.json.encode(steps), type=list[dict[str, Any]])


@given(VALUES, VALUES)
def test_steps_lead_from_any_value_to_any_other(before: Any, after: Any) -> None:
    led = patched(before, between(before, after))
    assert normal(led) == normal(after)


def normal(value: Any) -> bytes:
    """Return a value as text with the members of objects in order, which separates 1, 1.0 and true."""
    return msgspec.json.encode(value, order="deterministic")


@given(VALUES)
def test_there_is_no_step_between_equals(value: Any) -> None:
    assert between(value, value) == []


@pytest.mark.parametrize(
    ("before", "after", "steps"),
    [
        ({"a": 1, "b": 2}, {"a": 1, "b": 3}, [{"op": "replace", "path": "/b", "value": 3}]),
        ({"a": 1, "b": 2}, {"c": 1, "b": 2}, [{"op": "remove", "path": "/a"}, {"op": "add", "path": "/c", "value": 1}]),
        ({"a": [1, 2]}, {"a": [1, 3]}, [{"op": "replace", "path": "/a/1", "value": 3}]),
        ({"a": [1, 2]}, {"a": [1]}, [{"op": "replace", "path": "/a", "value": [1]}]),
        ({"a": [{"b": 1}]}, {"a": [{"b": None}]}, [{"op": "replace", "path": "/a/0/b", "value": None}]),
        ({"a/~": {"x": 1}}, {"a/~": {"x": 2}}, [{"op": "replace", "path": "/a~1~0/x", "value": 2}]),
        ({"a": {}}, {"a": []}, [{"op": "replace", "path": "/a", "value": []}]),
        ({"a": 1}, {"a": True}, [{"op": "replace", "path": "/a", "value": True}]),
        ({"a": 0.0}, {"a": 0}, [{"op": "replace", "path": "/a", "value": 0}]),
    ],
)
def test_only_what_is_different_is_named(before: Any, after: Any, steps: list[dict[str, Any]]) -> None:
    assert between(before, after) == steps
    assert [type(step.get("value")) for step in between(before, after)] == [type(step.get("value")) for step in steps]


def test_equal_parts_share_their_steps() -> None:
    known: Known = {}
    old, new = (msgspec.json.encode({"a": {"b": value}, "c": [value]}) for value in (1, 2))
    steps = differences(old, new, known)
    assert differences(old, new, known) is steps
    assert differences(b'{"b":1}', b'{"b":2}', known, "/a") == steps[:1]
    assert [len(found) for found in known.values()] == [1] * len(known)
    assert differences(new, old, known) != steps
    assert {pointer: len(found) for pointer, found in known.items()}["/a/b"] == 2
