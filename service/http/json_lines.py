"""Encodes JSON lines (`application/x-ndjson`) and the data of server-sent events.

JSON allows U+2028, U+2029 and U+0085 in strings. They are escaped here, because many clients treat them as line breaks.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

_SEPARATORS: Final = {char.encode(): f"\\u{ord(char):04x}".encode() for char in "\u0085\u2028\u2029"}


def on_one_line(text: bytes) -> bytes:
    """Escape the characters in `text` that clients treat as line breaks. `text` is JSON without newlines."""
    if not text.isascii():
        for separator, escaped in _SEPARATORS.items():
            text = text.replace(separator, escaped)
    return text


def json_line(value: Any) -> bytes:
    return on_one_line(msgspec.json.encode(value)) + b"\n"
