"""The room that texts of a picture may take, without a browser: by the broadest of usual fonts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final
from xml.etree import ElementTree as ET

from games.core.svg import breadth

SVG: Final = "{http://www.w3.org/2000/svg}"
STEP: Final = re.compile(r"(\w+)\(([^)]*)\)")
RULE: Final = re.compile(r"\.([\w-]+)\{([^}]*)\}")
ANCHORS: Final = {"start": 0.0, "middle": 0.5, "end": 1.0}
SLACK_UNITS: Final = 1.0
"""Units of the picture that rounding may cost."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The place and the scale of an element's own coordinates; `upright` if they are not turned."""

    x: float = 0
    y: float = 0
    scale: float = 1
    upright: bool = True

    def within(self, transform: str) -> Frame:
        found = self
        for name, numbers in STEP.findall(transform):
            values = [float(value) for value in re.split(r"[ ,]+", numbers.strip())]
            if name == "translate":
                dx, dy = (*values, 0.0)[:2]
                found = Frame(found.x + dx * found.scale, found.y + dy * found.scale, found.scale, found.upright)
            elif name == "scale":
                found = Frame(found.x, found.y, found.scale * values[0], found.upright)
            else:
                found = Frame(found.x, found.y, found.scale, upright=False)
        return found


@dataclass(frozen=True, slots=True)
class Box:
    left: float
    top: float
    right: float
    bottom: float

    def holds(self, x: float, y: float) -> bool:
        return self.left <= x <= self.right and self.top <= y <= self.bottom

    @property
    def area(self) -> float:
        return (self.right - self.left) * (self.bottom - self.top)


def overflows(svg: str) -> list[str]:
    """Return the texts that reach beyond the picture or the box that they are anchored in, and boxes beyond it."""
    root = ET.fromstring(svg)  # noqa: S314 -- our own text
    left, top, width, height = map(float, root.attrib["viewBox"].split())
    picture = Box(left, top, left + width, top + height)
    rules = dict(RULE.findall("".join(style.text or "" for style in root.iter(f"{SVG}style"))))
    boxes, found = [picture], list[str]()
    for element, frame in placed(root, Frame()):
        if element.tag == f"{SVG}rect" and frame.upright:
            boxes.append(box := box_of(element, frame))
            if box.left < picture.left - SLACK_UNITS or box.right > picture.right + SLACK_UNITS:
                found.append(f"a box from {box.left:.0f} to {box.right:.0f}")
        if element.tag == f"{SVG}text" and frame.upright:
            start, end, x, y = span_of(element, frame, rules)
            around = min((box for box in boxes if box.holds(x, y)), key=lambda box: box.area, default=picture)
            if start < around.left - SLACK_UNITS or end > around.right + SLACK_UNITS:
                said = "".join(element.itertext())
                found.append(f"{said}: {start:.0f} to {end:.0f} in {around.left:.0f} to {around.right:.0f}")
    return found


def placed(element: ET.Element, frame: Frame) -> Iterator[tuple[ET.Element, Frame]]:
    if element.tag in {f"{SVG}defs", f"{SVG}style", f"{SVG}clipPath"}:
        return
    frame = frame.within(element.get("transform", ""))
    yield element, frame
    for child in element:
        yield from placed(child, frame)


def box_of(element: ET.Element, frame: Frame) -> Box:
    x, y, wide, high = (float(element.get(name, "0")) for name in ("x", "y", "width", "height"))
    left, top = frame.x + x * frame.scale, frame.y + y * frame.scale
    return Box(left, top, left + wide * frame.scale, top + high * frame.scale)


def span_of(element: ET.Element, frame: Frame, rules: Mapping[str, str]) -> tuple[float, float, float, float]:
    """Return the largest extent of a text from left to right, and the point at which it is anchored."""
    classes = element.get("class", "")
    style = ";".join(rules.get(name, "") for name in classes.split())
    found = re.search(r"font-size:([\d.]+)", style)
    size = float(element.get("font-size", found[1] if found else "0"))
    anchor = re.search(r"text-anchor:(\w+)", style)
    before = ANCHORS[anchor[1] if anchor else "start"]
    wide = breadth("".join(element.itertext()), size, classes) * frame.scale
    x, y = (frame.x + float(element.get("x", "0")) * frame.scale, frame.y + float(element.get("y", "0")) * frame.scale)
    return x - before * wide, x + (1 - before) * wide, x, y
