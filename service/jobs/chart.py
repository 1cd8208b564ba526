"""A simulation as a picture, drawn by matplotlib; imported where a chart is asked for, because that takes a second.

Equal results give equal pictures, to the byte: no date, no random ids, and the library's own font measures all texts.
Text stays text, so it can be read aloud, searched and copied.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final
from xml.sax.saxutils import quoteattr

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from games.core.game import Game
from service.contract.problems import TEXTS

mpl.rcParams.update(
    {
        "svg.fonttype": "none",
        "svg.hashsalt": "dorfplatz",
        "svg.id": None,
        "font.family": ["DejaVu Sans"],
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.unicode_minus": True,
    }
)

WIDTH: Final = 7.6
LEFT: Final = 1.45
RIGHT: Final = 1.05
HEAD: Final = 0.95
AXIS: Final = 0.95
LENGTHS: Final = 1.55
FOOT: Final = 0.68
BOT: Final = 0.34
SEAT: Final = 0.22
GAP: Final = 0.16
"""Sizes in inches: of the picture, its margins and parts, of the rows of a bot and of a seat, and between bots."""

FONTS: Final = "'DejaVu Sans', Verdana, 'Segoe UI', 'Helvetica Neue', sans-serif"

_drawing: Final = Lock()
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


class Chart:
    """A picture of one result in one language and theme."""

    def __init__(self, counted: Mapping[str, Any], game: Game, language: str, theme: str) -> None:
        """Take the result as the workers wrote it."""
        self._counted, self._game, self._language = counted, game, language
        self._colours = THEMES[theme]

    def svg(self) -> str:
        """Draw it."""
        bots = self._counted["bots"]
        rows = sum(BOT + GAP + SEAT * len(bot["by_seat"]) for bot in bots)
        height = HEAD + rows + AXIS + LENGTHS + FOOT
        figure = Figure(figsize=(WIDTH, height), facecolor=self._colours.paper)
        FigureCanvasSVG(figure)
        title = self._title(figure, height)
        self._wins(self._axes(figure, height, HEAD, rows))
        self._lengths(self._axes(figure, height, HEAD + rows + AXIS, LENGTHS))
        out = io.StringIO()
        figure.savefig(out, format="svg", facecolor=self._colours.paper, metadata={"Date": None, "Creator": None})
        return _finished(out.getvalue(), title)

    def _say(self, key: str, **params: Any) -> str:
        """Return a text of the charts."""
        return TEXTS.say(self._language, "chart", key, **params)

    def _percent(self, rate: float, digits: int = 1) -> str:
        """Return a rate as the reader's language writes it."""
        text = f"{100 * rate:.{digits}f}"
        return f"{text}%" if self._language == "en" else f"{text.replace('.', ',')}\u00a0%"

    def _whole(self, number: float) -> str:
        """Return a whole number with its thousands set apart."""
        return f"{round(number):,}" if self._language == "en" else f"{round(number):,}".replace(",", ".")

    def _title(self, figure: Figure, height: float) -> str:
        """Write what was played, and return it."""
        name = str(self._game.texts.sections[self._language]["names"]["title"])
        said = self._say("counted", games=self._whole(self._counted["games"]))
        left = LEFT / WIDTH
        figure.text(left, 1 - 0.36 / height, name, color=self._colours.ink, fontsize=14, weight="bold")
        below = f"{said} · {self._say('seed', seed=_short(self._counted['seed']))}"
        figure.text(left, 1 - 0.6 / height, below, color=self._colours.faint, fontsize=9)
        return f"{name}: {below}"

    def _axes(self, figure: Figure, height: float, top: float, size: float) -> Axes:
        """Return axes at a place counted from the top."""
        place = (LEFT / WIDTH, 1 - (top + size) / height, (WIDTH - LEFT - RIGHT) / WIDTH, size / height)
        axes = figure.add_axes(place, facecolor=self._colours.paper)
        axes.tick_params(colors=self._colours.faint, labelsize=8, length=0, pad=6)
        for spine in axes.spines.values():
            spine.set_color(self._colours.grid)
        axes.set_axisbelow(True)
        return axes

    def _wins(self, axes: Axes) -> None:
        """Draw how often each bot won, over all seats and in each, with intervals."""
        bots, colours = self._counted["bots"], self._colours
        shares = [bound for bot in bots for count in (bot, *bot["by_seat"]) for bound in count["interval"]]
        low, high = max(0.0, min(shares) - 0.02), min(1.0, max(shares) + 0.02)
        equal = 1 / len(self._game.teams(len(bots)))
        low, high = min(low, max(0.0, equal - 0.05)), max(high, min(1.0, equal + 0.05))
        axes.axvline(equal, color=colours.faint, linewidth=1, linestyle=(0, (4, 3)), zorder=1)
        y, ticks = 0.0, []
        for number, bot in enumerate(bots):
            colour = colours.bots[number % len(colours.bots)]
            y += BOT / 2
            self._bar(axes, bot, y, colour, 5.0)
            ticks.append((y, bot["bot"], colours.ink, 10.5))
            self._rate(axes, bot["win_rate"], y, 10.5)
            y += BOT / 2
            for count in bot["by_seat"]:
                y += SEAT / 2
                self._bar(axes, count, y, colour, 1.6)
                self._rate(axes, count["win_rate"], y, 8.5)
                ticks.append((y, self._say("seat", seat=count["seat"]), colours.faint, 8.5))
                y += SEAT / 2
            y += GAP
        axes.set_ylim(y - GAP / 2, -GAP / 2)
        axes.set_xlim(low, high)
        axes.set_yticks([place for place, _, _, _ in ticks], [name for _, name, _, _ in ticks])
        for label, (_, _, colour, size) in zip(axes.get_yticklabels(), ticks, strict=True):
            label.set_color(colour)
            label.set_fontsize(size)
        axes.spines["left"].set_visible(False)
        axes.grid(axis="x", color=colours.grid, linewidth=0.6)
        axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda rate, _: self._percent(rate, 0)))
        axes.set_xlabel(f"{self._say('wins')}: {self._say('wins_note')}", color=colours.faint, fontsize=8.5, labelpad=5)
        axes.annotate(
            self._say("equal"),
            (equal, 1),
            (4, 3),
            ("data", "axes fraction"),
            "offset points",
            color=colours.faint,
            fontsize=8,
        )

    def _rate(self, axes: Axes, rate: float, y: float, size: float) -> None:
        """Write a rate at the right of its row."""
        main = size > 10  # noqa: PLR2004 -- the bot's own row is the large one
        axes.annotate(
            self._percent(rate),
            (1, y),
            (62, 0),
            ("axes fraction", "data"),
            "offset points",
            color=self._colours.ink if main else self._colours.faint,
            fontsize=size,
            weight="bold" if main else "normal",
            ha="right",
            va="center_baseline",
            annotation_clip=False,
        )

    def _bar(self, axes: Axes, count: Mapping[str, Any], y: float, colour: str, width: float) -> None:
        """Draw a rate as a point in its interval."""
        main = width > 2  # noqa: PLR2004 -- the bot's own row is the thick one
        axes.plot(
            count["interval"],
            [y, y],
            color=colour,
            linewidth=width,
            alpha=0.45 if main else 0.8,
            solid_capstyle="round",
            zorder=2,
        )
        size = 8.5 if main else 4.5
        axes.plot(
            [count["win_rate"]],
            [y],
            "o",
            color=colour,
            markersize=size,
            markeredgecolor=self._colours.paper,
            markeredgewidth=1.2 if main else 0.8,
            zorder=3,
        )

    def _lengths(self, axes: Axes) -> None:
        """Draw how many games were how long."""
        plies, colours = self._counted["plies"], self._colours
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
                self._say("median", median=self._whole(plies["median"])),
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
            axis.set_major_formatter(FuncFormatter(lambda number, _: self._whole(number)))
        axes.set_xlabel(f"{self._say('lengths')} ({self._say('moves')})", color=colours.faint, fontsize=8.5, labelpad=5)
        axes.set_ylabel(self._say("games"), color=colours.faint, fontsize=8.5, labelpad=8)


def drawn(counted: Mapping[str, Any], game: Game, language: str, theme: str) -> str:
    """Return a simulation's result as SVG."""
    with _drawing:
        return Chart(counted, game, language, theme).svg()


def _short(seed: str) -> str:
    """Return as much of a seed as has room in a title."""
    return seed if len(seed) <= 24 else f"{seed[:23]}…"  # noqa: PLR2004 -- characters


def _finished(svg: str, title: str) -> str:
    """Name the picture for those who cannot see it, and let readers without our font choose a like one."""
    start = svg.index("<svg ")
    told = svg[start:].replace("<svg ", f'<svg role="img" aria-label={quoteattr(title)} ', 1)
    return told.replace("'DejaVu Sans'", FONTS)
