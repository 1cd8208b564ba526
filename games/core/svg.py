"""Small building blocks of SVG text: elements with escaped attributes and texts, and paths on circles."""

from __future__ import annotations

from collections.abc import Mapping
from math import cos, radians, sin
from typing import Final
from xml.sax.saxutils import escape, quoteattr

Point = tuple[float, float]

SMALLEST: Final = 0.6
"""To what part of its size a text is made smaller before it is pressed together."""

LAST_NARROW: Final = 0x2E7F
"""Letters after this one are as wide as they are high."""


def element(tag: str, /, *children: str, **attributes: float | str) -> str:
    """Return an element; `class_` is written class, `stroke_width` stroke-width, and children are SVG already."""
    written = "".join(
        f" {name.rstrip('_').replace('_', '-')}={quoteattr(value if isinstance(value, str) else number(value))}"
        for name, value in attributes.items()
    )
    return f"<{tag}{written}>{''.join(children)}</{tag}>" if children else f"<{tag}{written}/>"


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


def fitted(content: str, x: float, y: float, width: float, size: float, class_: str) -> str:
    """Return a text at a point that is no wider than a width: smaller where it is long, at last pressed together."""
    needed = size * sum(map(_breadth, content))
    if needed <= width:
        return text(content, x, y, class_, font_size=size)
    smaller = size * width / needed
    if smaller >= SMALLEST * size:
        return text(content, x, y, class_, font_size=smaller)
    return text(content, x, y, class_, font_size=SMALLEST * size, textLength=width, lengthAdjust="spacingAndGlyphs")


def _breadth(letter: str) -> float:
    """Return how wide a letter of a broad bold font is at most, in units of its size."""
    if ord(letter) > LAST_NARROW or letter in "mwMW@":
        return 1.05
    if letter in "fijlrt.,:;'|!() ":
        return 0.43
    return 0.78 if letter.isupper() else 0.68


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
