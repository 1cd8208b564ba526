"""Deltas of pictures (RFC 3229) in the format GDIFF. A delta turns the client's last picture into the new picture.

A GDIFF file lists the parts of the new picture. A part is either copied from the client's last picture, or its bytes
are in the GDIFF file. The format is described at https://www.w3.org/TR/NOTE-gdiff-19970901.
"""

from __future__ import annotations

import re
from itertools import accumulate, takewhile
from typing import Final

from rapidfuzz.distance import Indel

from service.pictures.padding import MIN_PADDED_BYTES, padded_gzip

MIN_DELTA_BYTES: Final = 1_024
"""The smallest padded size of a compressed delta in bytes. Most deltas fit into it."""

_HEAD: Final = b"\xd1\xff\xd1\xff\x04"
_END: Final = b"\0"
_INSERT_SHORT, _INSERT_LONG = b"\xf7", b"\xf8"
_COPY_BYTES, _COPY_SHORT, _COPY_LONG = b"\xf9", b"\xfa", b"\xfe"

_MAX_INSERT_CODE: Final = 246
"""Maximum GDIFF command byte that is itself the number of inserted bytes."""

_BYTE: Final = 0xFF
"""Maximum value of a one-byte field in a GDIFF command."""

_SHORT_BYTES: Final = 0xFFFF
"""Maximum value of a two-byte field in a GDIFF command."""

_TOKENS: Final = re.compile(rb"<[^>]*>?|[^<. ]+[. ]*|[. ]+")
"""Matches an XML tag, or a word between tags."""


def packed_delta(base: bytes, text: bytes) -> bytes | None:
    """Return the compressed and padded delta from `base` to `text`.

    Return None if the delta is not smaller than the compressed and padded `text`.
    """
    packed = padded_gzip(gdiff(base, text), MIN_DELTA_BYTES)
    return packed if len(packed) < MIN_PADDED_BYTES or len(packed) < len(padded_gzip(text)) else None


def gdiff(base: bytes, text: bytes) -> bytes:
    """Return the GDIFF delta from the XML text `base` to the XML text `text`."""
    old, new = _TOKENS.findall(base), _TOKENS.findall(text)
    start = sum(1 for _ in takewhile(bool, map(bytes.__eq__, old, new)))
    most = min(len(old), len(new)) - start
    end = min(most, sum(1 for _ in takewhile(bool, map(bytes.__eq__, reversed(old), reversed(new)))))
    inner = old[start : len(old) - end], new[start : len(new) - end]
    # Numbers are compared exactly; of other tokens Indel compares only the hashes.
    numbers: dict[bytes, int] = {}
    codes = Indel.opcodes(*([numbers.setdefault(token, len(numbers)) for token in part] for part in inner))
    steps = [(0, start, 0, start)]
    steps += [
        (code.src_start + start, code.src_end + start, code.dest_start + start, code.dest_end + start)
        if code.tag == "equal"
        else (0, 0, code.dest_start + start, code.dest_end + start)
        for code in codes
    ]
    steps.append((len(old) - end, len(old), len(new) - end, len(new)))
    places = [0, *accumulate(map(len, old))]
    parts = [_HEAD]
    for first, last, low, high in steps:
        if first < last:
            parts.append(_copy(places[first], places[last] - places[first]))
        elif low < high:
            parts.append(_insert(b"".join(new[low:high])))
    return b"".join([*parts, _END])


def _copy(place: int, length: int) -> bytes:
    if length == 0:
        return b""
    if place > _SHORT_BYTES or length > _SHORT_BYTES:
        return _COPY_LONG + place.to_bytes(4, "big") + length.to_bytes(4, "big")
    if length > _BYTE:
        return _COPY_SHORT + place.to_bytes(2, "big") + length.to_bytes(2, "big")
    return _COPY_BYTES + place.to_bytes(2, "big") + length.to_bytes(1, "big")


def _insert(part: bytes) -> bytes:
    if len(part) <= _MAX_INSERT_CODE:
        return len(part).to_bytes(1, "big") + part if part else b""
    if len(part) <= _SHORT_BYTES:
        return _INSERT_SHORT + len(part).to_bytes(2, "big") + part
    return _INSERT_LONG + len(part).to_bytes(4, "big") + part
