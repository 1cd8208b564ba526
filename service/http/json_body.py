"""Reads a JSON body the strict way, once, before anything else looks at it.

Refused with 400: what is not JSON in UTF-8, NaN, Infinity, lone surrogates, deep nesting, integers that a double cannot
hold. An integral float (7.0) is an integer, as JSON Schema says; `true` never is one.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec
from flask import request

from service.http.problems import Problem

SAFE: Final = 2**53 - 1


def body(depth: int) -> Any:
    """Return the request's body; the order of checks is 413, 415, 400."""
    try:
        data = request.get_data()
    except OSError:  # the client has gone, or does not go on
        raise Problem("bad-request") from None
    limit = request.max_content_length
    # Werkzeug cuts a chunked body at the limit without a word.
    if request.content_length is None and len(data) == limit and request.environ["wsgi.input"].read(1):
        raise Problem("body-too-large", limit=limit)
    charset = request.mimetype_params.get("charset", "utf-8").lower()
    if request.mimetype != "application/json" or charset not in {"utf-8", "utf8"}:
        raise Problem("unsupported-media-type", headers={"Accept": "application/json"})
    return parse(data, depth)


def parse(data: bytes, depth: int) -> Any:
    """Read JSON that is nested no deeper than `depth` containers."""
    try:
        tree = msgspec.json.decode(data)
    except RecursionError:
        raise Problem("json-too-deep", limit=depth) from None
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise Problem("malformed-json") from None
    return normalize_numbers(tree, depth, depth)


def normalize_numbers(value: Any, room: int, depth: int) -> Any:
    """Return a value with every integral number in it as an int; containers are changed in place."""
    kind = type(value)
    if kind is dict or kind is list:
        if room == 0:
            raise Problem("json-too-deep", limit=depth)
        for key, item in value.items() if kind is dict else enumerate(value):
            if type(item) not in _PLAIN:
                value[key] = normalize_numbers(item, room - 1, depth)
    elif kind is float and value.is_integer() and abs(value) <= SAFE:
        return int(value)
    elif kind is int and not -SAFE <= value <= SAFE:
        raise Problem("number-out-of-range")
    return value


_PLAIN: Final = frozenset({str, bool, type(None)})
