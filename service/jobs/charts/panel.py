"""A panel is a rectangle of a chart with a scale on each axis. Its methods add SVG elements. Sizes are in SVG units."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import ceil, floor, log10
from typing import Final

from games.core.svg import element, text

ROW: Final = 16
"""Maximum number of characters in a label beside a row."""

BASELINE: Final = 0.35
"""Distance from the middle of a text to its baseline, as a fraction of the font size."""

DASHES: Final = "4 3"

TICK_STEPS: Final = (1.0, 2.0, 5.0, 10.0)
"""Permitted distances between axis values, to be multiplied by a power of ten."""


@dataclass(frozen=True, slots=True)
class Colours:
    """The colours of a theme. Colour-blind readers can distinguish the colours in `bots`."""

    paper: str
    ink: str
    faint: str
    grid: str
    bots: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Scale:
    """A linear scale. It maps the value `low` to position `start`, and the value `high` to position `end`."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return the position at which a value is drawn."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)


@dataclass(slots=True)
class Panel:
    """A rectangle of a chart. `x` is its horizontal scale, and `y` is its vertical scale."""

    colours: Colours
    x: Scale
    y: Scale
    parts: list[str] = field(default_factory=list)

    @property
    def left(self) -> float:
        return self.x.start

    @property
    def right(self) -> float:
        return self.x.end

    @property
    def top(self) -> float:
        return min(self.y.start, self.y.end)

    @property
    def bottom(self) -> float:
        return max(self.y.start, self.y.end)

    def write(
        self,
        content: str,
        x: float,
        middle: float,
        size: float = 8,
        colour: str = "",
        anchor: str = "start",
        *,
        bold: bool = False,
    ) -> None:
        paint: dict[str, float | str] = {"fill": colour or self.colours.faint, "font_size": size, "text_anchor": anchor}
        self.parts.append(text(content, x, middle + BASELINE * size, "bold" if bold else "plain", **paint))

    def line(
        self, ends: tuple[float, float, float, float], colour: str, width: float = 0.6, **further: float | str
    ) -> None:
        """Draw a line. `ends` contains x and y of its first point, and then x and y of its second point."""
        x1, y1, x2, y2 = ends
        self.parts.append(element("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=colour, stroke_width=width, **further))

    def columns(self, most: int, label: Callable[[float], str], *, whole: bool = False, grid: bool = True) -> None:
        """Write round values below the panel, and draw a vertical grid line at each value.

        `label` converts a value to text. There are at most `most` steps between the values. If `whole` is true, all
        values are whole numbers. If `grid` is false, draw no grid lines.
        """
        for value in ticks(self.x.low, self.x.high, most, whole=whole):
            x = self.x(value)
            if grid:
                self.line((x, self.top, x, self.bottom), self.colours.grid)
            self.write(label(value), x, self.bottom + 11, anchor="middle")
        self.line((self.left, self.bottom, self.right, self.bottom), self.colours.grid, 0.8)

    def levels(self, most: int, label: Callable[[float], str], *, whole: bool = False) -> None:
        """Write round values to the left of the panel, and draw a horizontal grid line at each value.

        `label` converts a value to text. There are at most `most` + 1 values. If `whole` is true, all values are
        whole numbers.
        """
        for value in ticks(self.y.low, self.y.high, most, whole=whole):
            y = self.y(value)
            self.line((self.left, y, self.right, y), self.colours.grid)
            self.write(label(value), self.left - 6, y, anchor="end")
        self.line((self.left, self.bottom, self.right, self.bottom), self.colours.grid, 0.8)

    def title_below(self, content: str) -> None:
        """Write the title of the horizontal axis below the values of this axis."""
        self.write(content, (self.left + self.right) / 2, self.bottom + 26, 8.5, anchor="middle")

    def name_row(self, y: float, name: str, colour: str, size: float) -> None:
        self.write(short(name, ROW), self.left - 6, self.y(y), size, colour, "end")

    def note_row(self, content: str, y: float, *, main: bool) -> None:
        """Write a number to the right of a row. If `main` is true, emphasise the number."""
        colours = self.colours
        colour, size = (colours.ink, 10.5) if main else (colours.faint, 8.5)
        self.write(content, self.right + 62, self.y(y), size, colour, "end", bold=main)

    def mark_column(self, content: str, value: float) -> None:
        """Draw a dashed vertical line at a value, with a label above the line."""
        x = self.x(value)
        self.line((x, self.top, x, self.bottom), self.colours.faint, 1, stroke_dasharray=DASHES)
        self.write(content, x + 4, self.top - 7)

    def point(self, value: float, ends: Sequence[float], y: float, colour: str, *, main: bool) -> None:
        low, high = (self.x(end) for end in ends)
        width, opacity = (5, 0.45) if main else (1.6, 0.8)
        height = self.y(y)
        self.line((low, height, high, height), colour, width, stroke_opacity=opacity, stroke_linecap="round")
        self.dot(self.x(value), height, 8.5 if main else 4.5, colour)

    def dot(self, x: float, y: float, size: float, colour: str) -> None:
        paint: dict[str, float | str] = {"fill": colour, "stroke": self.colours.paper, "stroke_width": 0.8}
        self.parts.append(element("circle", cx=x, cy=y, r=size / 2, **paint))

    def box(self, x: float, y: float, width: float, height: float, **paint: float | str) -> None:
        self.parts.append(element("rect", x=x, y=y, width=width, height=height, **paint))


def ticks(low: float, high: float, most: int, *, whole: bool = False) -> Iterator[float]:
    """Yield the values at which an axis from `low` to `high` has marks.

    The distance between two marks is 1, 2 or 5, multiplied by a power of ten. All values are multiples of this
    distance. There are at most `most` such distances between `low` and `high`. If `whole` is true, the distance is an
    integer.
    """
    least = max((high - low) / most, 1 if whole else 0)
    power = 10.0 ** floor(log10(least))
    step = next(power * each for each in TICK_STEPS if power * each >= least * (1 - 1e-9))
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    yield from (number * step for number in range(first, last + 1))


def short(content: str, room: int) -> str:
    """Cut a text to at most `room` characters. Replace unprintable characters, because callers may send any text."""
    shown = "".join(character if character.isprintable() else "·" for character in content)
    return shown if len(shown) <= room else f"{shown[: room - 1]}…"
