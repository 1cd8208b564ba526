"""Small building blocks of SVG text: elements with escaped attributes and texts, and paths on circles."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from math import cos, radians, sin
from typing import Final
from xml.sax.saxutils import escape as _escape
from xml.sax.saxutils import quoteattr

Point = tuple[float, float]

_ESCAPED: Final = re.compile('[&<>"\n\r\t]').search
"""Finds what no value in quotes may have in it as it is."""

_FORBIDDEN: Final = re.compile(
    "[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\x7f-\x9f\u202a-\u202e\u2066-\u2069]"
)
"""What XML has no room for, and controls; of a name in a stored session of long ago, for one."""

HEADLINE: Final = "headline"
"""The `data-ref` of the headline, which a move touches that touches nothing else."""

PHONE: Final = 36
"""A text is at least a 36th of a picture's width high: 10 pixels on a phone of 360."""

WIDE: Final = 720
MIN_TEXT_SIZE: Final = WIDE / PHONE
"""Width of most pictures, and the smallest size of a text in them."""

PLAIN: Final = 0.91
"""Width of plain letters in units of bold ones."""

BREADTHS: Final = {
    letter: breadth
    for breadth, letters in {
        0.39: "ijlIJ',./:;\\| ìí·\u2018\u2019",
        0.5: "frt!()-[]_`\u2013\u201a",
        0.6: 'csz"*?„“”«»',
        0.7: "0123456789aekovxyEFLT$äöàáâèéêëòóôÈÉ",
        0.78: "bdghnpquABCKPRSVXYZ{}üùúûßÄÀÁñç",
        0.87: "DGHNOQUÖÒÓÜ#&^~+<=>\u2212\u00d7",
        1.0: "wM@…",
        1.11: "mW%",
    }.items()
    for letter in letters
}
"""Widths of letters in a bold font that is wider than most, in units of its size."""

BROAD: Final = 0.8
"""The same for letters outside the list."""

LAST_NARROW: Final = 0x2E7F
"""Letters after this one are as wide as they are high."""


def element(tag: str, /, *children: str, **attributes: float | str) -> str:
    """Return an element; `class_` is written class, `stroke_width` stroke-width, and children are SVG already."""
    written = "".join(
        [
            f" {_written(name)}={_quoted(value if isinstance(value, str) else number(value))}"
            for name, value in attributes.items()
        ]
    )
    return f"<{tag}{written}>{''.join(children)}</{tag}>" if children else f"<{tag}{written}/>"


@cache
def _written(name: str) -> str:
    return name.rstrip("_").replace("_", "-")


def _quoted(value: str) -> str:
    value = _drawable(value)
    return quoteattr(value) if _ESCAPED(value) else f'"{value}"'


def escape(content: str) -> str:
    """Return a text as it stands in XML, whatever it has: each forbidden character is replaced by U+FFFD."""
    return _escape(_drawable(content))


def _drawable(content: str) -> str:
    return content if content.isascii() and content.isprintable() else _FORBIDDEN.sub("\ufffd", content)


def document(width: float, height: float, /, *children: str, **attributes: float | str) -> str:
    """Return a whole picture of a size; children and further attributes are an element's."""
    return element(
        "svg",
        *children,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width} {height}",
        role="img",
        **attributes,
    )


def sheet(root: str, rules: Mapping[str, str]) -> str:
    """Return the style of a picture whose outermost element has the class `root`; no rule reaches beyond it."""
    font = f".{root}{{font-family:system-ui,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}}"
    return font + "".join(f".{root} {selector}{{{rule}}}" for selector, rule in rules.items())


def text(content: str, x: float, y: float, class_: str, **attributes: float | str) -> str:
    """Return a text at a point, escaped."""
    return element("text", escape(content), x=x, y=y, class_=class_, **attributes)


def fitted(
    content: str, x: float, y: float, width: float, size: float, class_: str, least: float = MIN_TEXT_SIZE
) -> str:
    """Return a text at a point that is no wider than a width: smaller if it is long, at last cut off.

    The title of a text that is cut off says all of it.
    """
    needed = breadth(content, 1, class_)
    size = max(min(size, width / needed), least) if needed else size
    if needed * size <= width:
        return text(content, x, y, class_, font_size=size)
    kept = content
    while kept and breadth(f"{kept}…", size, class_) > width:
        kept = kept[:-1]
    return element("g", title(content), text(f"{kept.rstrip()}…", x, y, class_, font_size=size))


def lines(content: str, width: float, size: float, class_: str = "") -> list[str]:
    """Return a text in lines that are no wider than a width."""
    room = width / size
    found, line = list[str](), ""
    for word in content.split():
        longer = f"{line} {word}" if line else word
        if breadth(longer, 1, class_) <= room:
            line = longer
            continue
        found += [line] if line else []
        line = word
        while breadth(line, 1, class_) > room:
            fits = next(
                end for end in range(len(line) - 1, 0, -1) if end == 1 or breadth(line[:end], 1, class_) <= room
            )
            found.append(line[:fits])
            line = line[fits:]
    return [*found, line] if line else found


def breadth(content: str, size: float, class_: str = "") -> float:
    """Return the maximum width of a text of a size; text in bold classes and names is wider than other text."""
    bold = "bold" in class_ or "name" in class_ or "letter" in class_
    return size * sum(map(_breadth, content)) * (1 if bold else PLAIN) * (1.06 if "name" in class_ else 1)


def _breadth(letter: str) -> float:
    return 1.05 if ord(letter) > LAST_NARROW else BREADTHS.get(letter, BROAD)


def title(content: str) -> str:
    """Return the title of the element around it, escaped; screen readers and pointers show it."""
    return element("title", escape(content))


def number(value: float) -> str:
    """Return a coordinate with one decimal at most."""
    short = f"{value:.1f}".removesuffix(".0")
    return "0" if short == "-0" else short


def polar(radius: float, angle: float) -> Point:
    """Return the point at an angle in degrees, clockwise from the top, around the origin."""
    return radius * sin(radians(angle)), -radius * cos(radians(angle))


def sector(inner: float, outer: float, start: float, end: float) -> str:
    """Return the path of a piece of a ring between two angles."""
    corners = [polar(outer, start), polar(outer, end), polar(inner, end), polar(inner, start)]
    a, b, c, d = (f"{number(x)} {number(y)}" for x, y in corners)
    large = int(end - start > 180)
    ring = f"A{number(outer)} {number(outer)} 0 {large} 1 {b}"
    back = f"A{number(inner)} {number(inner)} 0 {large} 0 {d}"
    return f"M{a}{ring}L{c}{back}Z"


def arc(radius: float, start: float, end: float) -> str:
    """Return the path of a line along a circle, clockwise between two angles less than a full turn apart."""
    (ax, ay), (bx, by) = polar(radius, start), polar(radius, end)
    large = int(end - start > 180)
    return f"M{number(ax)} {number(ay)}A{number(radius)} {number(radius)} 0 {large} 1 {number(bx)} {number(by)}"
