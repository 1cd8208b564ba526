"""What the charts of all kinds of jobs share; imported where one is asked for, because the library takes a second.

Equal results give equal pictures, to the byte: no date, no random ids, and the library's own font measures all texts.
Text stays text, so it can be read aloud, searched and copied.
"""

from __future__ import annotations

import io
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, ClassVar, Final
from xml.sax.saxutils import quoteattr

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from games.core.game import Game
from games.core.texts import Texts

mpl.rcParams.update(
    {
        "svg.fonttype": "none",
        "svg.hashsalt": "dorfplatz",
        "svg.id": None,
        "text.parse_math": False,
        "font.family": ["DejaVu Sans"],
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.unicode_minus": True,
    }
)

TEXTS: Final = Texts("service")

WIDTH: Final = 7.6
LEFT: Final = 1.45
RIGHT: Final = 1.05
HEAD: Final = 0.95
AXIS: Final = 0.95
LENGTHS: Final = 1.55
FOOT: Final = 0.68
"""Sizes in inches: of the picture, and of its margins and parts."""

ROW: Final = 16
SEED: Final = 24
"""How many characters have room beside a row, and in the title for a seed."""

FONTS: Final = "'DejaVu Sans', Verdana, 'Segoe UI', 'Helvetica Neue', sans-serif"

drawing: Final = Lock()
"""The library's settings belong to the process, so one thread draws at a time."""


@dataclass(frozen=True, slots=True)
class Colours:
    """What a theme paints with; the bots' are told apart by people who see no red or no green."""

    paper: str
    ink: str
    faint: str
    grid: str
    bots: tuple[str, ...]


THEMES: Final = {
    "light": Colours(
        "#ffffff", "#1f2328", "#59636e", "#d8dee4", ("#0b66a8", "#b84a00", "#00734f", "#a03d78", "#7a5c00", "#4b4bb5")
    ),
    "dark": Colours(
        "#0d1117", "#e6edf3", "#9aa4af", "#30363d", ("#66b8f0", "#f29a4a", "#3fcf9f", "#ea9fcb", "#e3c84a", "#a9a9ff")
    ),
}


class Chart(ABC):
    """A picture of one result in one language and theme: a title, what a kind of job has to say, and lengths.

    `foot` is how high the part with the lengths of games is, 0 where there are none.
    """

    foot: ClassVar[float] = LENGTHS

    def __init__(self, counted: Mapping[str, Any], game: Game, language: str, theme: str) -> None:
        self.counted, self.game, self.language = counted, game, language
        self.colours = THEMES[theme]

    @abstractmethod
    def height(self) -> float:
        """Return how high the part between title and lengths is."""

    @abstractmethod
    def draw(self, figure: Figure, height: float) -> None:
        """Draw that part."""

    def counted_text(self) -> str:
        """Say what was counted."""
        return self.say("counted", games=self.whole(self.counted["games"]))

    def svg(self) -> str:
        """Draw it all."""
        own = self.height()
        height = HEAD + own + self.foot + FOOT
        figure = Figure(figsize=(WIDTH, height), facecolor=self.colours.paper)
        FigureCanvasSVG(figure)
        title = self._title(figure, height)
        self.draw(figure, height)
        if self.foot:
            self._lengths(self.axes(figure, height, HEAD + own, self.foot))
        out = io.StringIO()
        figure.savefig(out, format="svg", facecolor=self.colours.paper, metadata={"Date": None, "Creator": None})
        return _finished(out.getvalue(), title)

    def say(self, key: str, **params: Any) -> str:
        """Return a text of the charts."""
        return TEXTS.say(self.language, "chart", key, **params)

    def percent(self, rate: float, digits: int = 1) -> str:
        """Return a rate as the reader's language writes it."""
        text = f"{100 * rate:.{digits}f}"
        return f"{text}%" if self.language == "en" else f"{text.replace('.', ',')}\u00a0%"

    def whole(self, number: float) -> str:
        """Return a whole number with its thousands set apart."""
        return f"{round(number):,}" if self.language == "en" else f"{round(number):,}".replace(",", ".")

    def axes(self, figure: Figure, height: float, top: float, size: float) -> Axes:
        """Return axes at a place counted from the top."""
        place = (LEFT / WIDTH, 1 - (top + size) / height, (WIDTH - LEFT - RIGHT) / WIDTH, size / height)
        axes = figure.add_axes(place, facecolor=self.colours.paper)
        axes.tick_params(colors=self.colours.faint, labelsize=8, length=0, pad=6)
        for spine in axes.spines.values():
            spine.set_color(self.colours.grid)
        axes.set_axisbelow(True)
        return axes

    def name_rows(self, axes: Axes, rows: Sequence[tuple[float, str, str, float]]) -> None:
        """Write names beside rows: each where, what, in which colour and size."""
        axes.set_yticks([y for y, _, _, _ in rows], [short(name, ROW) for _, name, _, _ in rows])
        for label, (_, _, colour, size) in zip(axes.get_yticklabels(), rows, strict=True):
            label.set_color(colour)
            label.set_fontsize(size)
        axes.spines["left"].set_visible(False)

    def note_row(self, axes: Axes, text: str, y: float, *, main: bool) -> None:
        """Write a figure at the right of its row, which may be a main one."""
        axes.annotate(
            text,
            (1, y),
            (62, 0),
            ("axes fraction", "data"),
            "offset points",
            color=self.colours.ink if main else self.colours.faint,
            fontsize=10.5 if main else 8.5,
            weight="bold" if main else "normal",
            ha="right",
            va="center_baseline",
            annotation_clip=False,
        )

    def note_line(self, axes: Axes, text: str, x: float) -> None:
        """Write what a line across all rows means."""
        axes.annotate(
            text,
            (x, 1),
            (4, 3),
            ("data", "axes fraction"),
            "offset points",
            color=self.colours.faint,
            fontsize=8,
        )

    def point(self, axes: Axes, x: float, ends: Sequence[float], y: float, colour: str, *, main: bool) -> None:
        """Draw a figure as a point in its interval."""
        axes.plot(
            ends,
            [y, y],
            color=colour,
            linewidth=5.0 if main else 1.6,
            alpha=0.45 if main else 0.8,
            solid_capstyle="round",
            zorder=2,
        )
        axes.plot(
            [x],
            [y],
            "o",
            color=colour,
            markersize=8.5 if main else 4.5,
            markeredgecolor=self.colours.paper,
            markeredgewidth=1.2 if main else 0.8,
            zorder=3,
        )

    def _title(self, figure: Figure, height: float) -> str:
        """Write what was played, and return it."""
        name = str(self.game.texts.sections[self.language]["names"]["title"])
        said = self.counted_text()
        left = LEFT / WIDTH
        figure.text(left, 1 - 0.36 / height, name, color=self.colours.ink, fontsize=14, weight="bold")
        below = f"{said} · {self.say('seed', seed=short(self.counted['seed'], SEED))}"
        figure.text(left, 1 - 0.6 / height, below, color=self.colours.faint, fontsize=9)
        return f"{name}: {below}"

    def _lengths(self, axes: Axes) -> None:
        """Draw how many games were how long."""
        plies, colours = self.counted["plies"], self.colours
        bars = plies["histogram"]
        if bars:
            axes.bar(
                [bar["from"] for bar in bars],
                [bar["games"] for bar in bars],
                [bar["to"] - bar["from"] + 1 for bar in bars],
                align="edge",
                color=colours.faint,
                alpha=0.55,
                edgecolor=colours.paper,
                linewidth=0.8,
            )
            axes.axvline(plies["median"], color=colours.ink, linewidth=1.2)
            axes.annotate(
                self.say("median", median=self.whole(plies["median"])),
                (plies["median"], 1),
                (4, 3),
                ("data", "axes fraction"),
                "offset points",
                color=colours.ink,
                fontsize=8,
            )
        axes.grid(axis="y", color=colours.grid, linewidth=0.6)
        axes.spines["left"].set_visible(False)
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(MaxNLocator(6 if axis is axes.xaxis else 3, integer=True))
            axis.set_major_formatter(FuncFormatter(lambda number, _: self.whole(number)))
        axes.set_xlabel(f"{self.say('lengths')} ({self.say('moves')})", color=colours.faint, fontsize=8.5, labelpad=5)
        axes.set_ylabel(self.say("games"), color=colours.faint, fontsize=8.5, labelpad=8)


def short(text: str, room: int) -> str:
    """Return as much of a stranger's text as has room, without what a picture cannot show."""
    shown = "".join(character if character.isprintable() else "·" for character in text)
    return shown if len(shown) <= room else f"{shown[: room - 1]}…"


def _finished(svg: str, title: str) -> str:
    """Name the picture for those who cannot see it, and let readers without our font choose a like one."""
    start = svg.index("<svg ")
    told = svg[start:].replace("<svg ", f'<svg role="img" aria-label={quoteattr(title)} ', 1)
    return told.replace("'DejaVu Sans'", FONTS)
