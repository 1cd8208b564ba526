"""Plots of the measurements, as SVG that is legible on light and dark paper; equal results give equal bytes."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from service.jobs.charts.frame import THEMES

COLOURS: Final = THEMES["light"]
WIDTH: Final = 8.5
ROW: Final = 0.3
MARGIN: Final = 1.0


@dataclass(frozen=True)
class Bar:
    """A named figure, ours or another's."""

    name: str
    value: float
    ours: bool


@dataclass(frozen=True)
class Line:
    """A named row of points."""

    name: str
    points: Sequence[tuple[float, float]]


def bars(title: str, found: Sequence[Bar], *, logarithmic: bool = False) -> str:
    """Draw figures below one another, ours in a colour of their own."""

    def draw(axes: Axes) -> None:
        colours = [COLOURS.bots[0] if bar.ours else COLOURS.bots[1] for bar in found]
        drawn = axes.barh([bar.name for bar in found], [bar.value for bar in found], color=colours, height=0.7)
        axes.bar_label(drawn, [amount(bar.value) for bar in found], padding=3, fontsize=8, color=COLOURS.faint)
        axes.invert_yaxis()
        axes.margins(x=0.12)
        axes.grid(visible=True, axis="x", color=COLOURS.grid)
        if logarithmic:
            axes.set_xscale("log")
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: amount(value)))

    return drawing(title, MARGIN + ROW * len(found), draw)


def lines(title: str, across: str, up: str, found: Sequence[Line]) -> str:
    """Draw rows of points with their names, the second axis logarithmic."""

    def draw(axes: Axes) -> None:
        for line, colour in zip(found, COLOURS.bots, strict=False):
            axes.plot(*zip(*line.points, strict=True), label=line.name, color=colour, marker="o", markersize=3)
        axes.set(xlabel=across, ylabel=up, yscale="log")
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: amount(value)))
        axes.grid(visible=True, color=COLOURS.grid)
        axes.legend(frameon=False, fontsize=8)

    return drawing(title, 4.0, draw)


def drawing(title: str, height: float, draw: Callable[[Axes], None]) -> str:
    """Return a picture with one pair of axes."""
    figure = Figure(figsize=(WIDTH, height), facecolor=COLOURS.paper, layout="constrained")
    axes = figure.subplots()
    axes.tick_params(labelsize=8)
    axes.set_axisbelow(True)
    draw(axes)
    axes.set_title(title, loc="left", fontsize=10)
    told = io.StringIO()
    FigureCanvasSVG(figure).print_svg(told, metadata={"Date": None, "Title": title})  # type: ignore[no-untyped-call]
    return told.getvalue()


def amount(value: float) -> str:
    """Return a figure in few signs."""
    for size, letter in ((1e6, " M"), (1e3, " k")):
        if value >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"
