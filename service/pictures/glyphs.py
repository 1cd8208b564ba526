"""Replacement of characters that the fonts of PNG pictures lack.

One or two missing characters in a row are replaced by their code points. Three or more in a row are replaced by eight
digits of their SHA-256. Therefore, different texts look different.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from html import escape, unescape
from pathlib import Path
from typing import Final

MAX_CODE_POINTS: Final = 2
"""Maximum number of consecutive characters that are replaced by code points. A longer run is replaced by a digest."""

_UNICODE_TABLES: Final = {(3, 10): 12, (3, 1): 4}
"""Supported character maps of fonts. Keys are platform and encoding, and values are table formats.

The first map that a font contains is used. The map with the largest range comes first.
"""

_CONTENT: Final = re.compile(r">([^<]*[^<\x00-\x7f][^<]*)<")


def drawn_by(*fonts: Path) -> Callable[[str], str]:
    """Return a function that replaces characters in a text. It keeps only the characters that all `fonts` contain."""
    glyphs = frozenset.intersection(*map(characters_of, fonts))

    def drawn(text: str) -> str:
        if text.isascii():
            return text
        found, run = "", ""
        for character in f"{text}\n":
            if ord(character) in glyphs or character == "\n":
                found, run = found + (_stand_in(run) if run else "") + character, ""
            else:
                run += character
        return found[:-1]

    return drawn


def drawn_in(svg: str, drawn: Callable[[str], str]) -> str:
    if svg.isascii():
        return svg
    return _CONTENT.sub(lambda found: f">{escape(drawn(unescape(found[1])), quote=False)}<", svg)


def _stand_in(run: str) -> str:
    if len(run) <= MAX_CODE_POINTS:
        return f"[{' '.join(f'{ord(character):04X}' for character in run)}]"
    return f"[#{sha256(run.encode()).hexdigest()[:8]}]"


@cache
def characters_of(font: Path) -> frozenset[int]:
    """Return the code points in the `cmap` table of a TrueType font. The font has a glyph for each of them."""
    data = font.read_bytes()
    (tables,) = struct.unpack_from(">H", data, 4)
    records = [struct.unpack_from(">4sIII", data, 12 + 16 * number) for number in range(tables)]
    start = next(offset for tag, _, offset, _ in records if tag == b"cmap")
    (count,) = struct.unpack_from(">H", data, start + 2)
    maps = [struct.unpack_from(">HHI", data, start + 4 + 8 * number) for number in range(count)]
    offsets = {(platform, encoding): start + offset for platform, encoding, offset in maps}
    kind = next(key for key in _UNICODE_TABLES if key in offsets)
    at = offsets[kind]
    if _UNICODE_TABLES[kind] == 12:  # noqa: PLR2004 -- the number of the format
        (groups,) = struct.unpack_from(">I", data, at + 12)
        spans = [struct.unpack_from(">II", data, at + 16 + 12 * number) for number in range(groups)]
    else:
        (twice,) = struct.unpack_from(">H", data, at + 6)
        ends = struct.unpack_from(f">{twice // 2}H", data, at + 14)
        starts = struct.unpack_from(f">{twice // 2}H", data, at + 16 + twice)
        spans = list(zip(starts, ends, strict=True))
    points = frozenset(point for first, last in spans for point in range(first, last + 1))
    return points - {0xFFFF}  # the end of format 4
