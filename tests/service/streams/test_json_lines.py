"""A line of JSON is one line for every reader, whatever people have written into it."""

import msgspec

from service.http.json_lines import json_line, on_one_line
from service.wire.session_events import ChangeMessage, as_event


def test_no_code_point_splits_a_line() -> None:
    for start in range(0, 0x110000, 0x1000):
        words = "".join(chr(number) for number in range(start, start + 0x1000) if not 0xD800 <= number < 0xE000)
        line = json_line({"words": words})
        assert len(line.decode().splitlines()) == 1
        assert line.endswith(b"\n")
        assert msgspec.json.decode(line) == {"words": words}


def test_stored_lines_are_joined_to_no_other() -> None:
    assert on_one_line('["\u2028\u0085é"]'.encode()) == b'["\\u2028\\u0085' + "é".encode() + b'"]'


def test_streams_write_lines_of_both_formats_so() -> None:
    message = ChangeMessage(id=1, cursor="1", data={"words": "a\u2028b\u0085c"})  # type: ignore[arg-type]
    assert len(json_line(message).decode().splitlines()) == 1
    assert as_event(message).decode().splitlines()[-2:] == ['data: {"words":"a\\u2028b\\u0085c"}', ""]
