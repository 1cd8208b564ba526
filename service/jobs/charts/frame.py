"""Base class of the SVG charts, with the title and the histogram of game lengths.

Equal results give byte-identical pictures. Text is not converted to outlines, so readers can search and copy it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Final

from games.core.game import Game
from games.core.svg import document, element, number, text
from games.core.texts import Texts
from service.jobs.charts.panel import Colours, Panel, Scale, short

TEXTS: Final = Texts("service")

WIDTH: Final = 548.0
LEFT: Final = 104.0
RIGHT: Final = 76.0
HEAD: Final = 68.0
AXIS: Final = 68.0
LENGTHS: Final = 112.0
FOOT: Final = 49.0
"""Sizes of the parts of a chart, in SVG units."""

SEED: Final = 24
"""Maximum number of characters of the job's seed in the title."""

FONT_FAMILIES: Final = "'DejaVu Sans', Verdana, 'Segoe UI', 'Helvetica Neue', sans-serif"

LENGTH_HEADROOM: Final = 1.05
"""Height of the histogram, as a multiple of its highest bar."""

THEMES: Final = {
    "light": Colours(
        "#ffffff", "#1f2328", "#59636e", "#d8dee4", ("#0b66a8", "#b84a00", "#00734f", "#a03d78", "#7a5c00", "#4b4bb5")
    ),
    "dark": Colours(
        "#0d1117", "#e6edf3", "#9aa4af", "#30363d", ("#66b8f0", "#f29a4a", "#3fcf9f", "#ea9fcb", "#e3c84a", "#a9a9ff")
    ),
}


class Chart(ABC):
    """The picture of a job result: a title, a main part, and a histogram of game lengths.

    Subclasses draw the main part. `foot` is the height of the histogram in SVG units. It is 0 if there is no histogram.
    """

    foot: ClassVar[float] = LENGTHS

    def __init__(self, counted: Mapping[str, Any], game: Game, language: str, theme: str) -> None:
        self.counted, self.game, self.language = counted, game, language
        self.colours = THEMES[theme]
        self.panels: list[Panel] = []

    @abstractmethod
    def height(self) -> float:
        """Return the height of the main part in SVG units."""

    @abstractmethod
    def draw(self) -> None:
        """Draw the main part."""

    def counted_text(self) -> str:
        return self.say("counted", games=self.whole(self.counted["games"]))

    def svg(self) -> str:
        own = self.height()
        height = HEAD + own + self.foot + FOOT
        self.draw()
        if self.foot:
            self._lengths(HEAD + own)
        label, *title = self._title()
        paper = element("rect", width=WIDTH, height=height, fill=self.colours.paper)
        style = element("style", f"text{{font-family:{FONT_FAMILIES}}}.bold{{font-weight:bold}}")
        parts = [part for panel in self.panels for part in panel.parts]
        return document(WIDTH, height, style, paper, *title, *parts, aria_label=label)

    def say(self, key: str, **params: Any) -> str:
        return TEXTS.say(self.language, "chart", key, **params)

    def seat_name(self, seat: int) -> str:
        """Return the displayed name of a seat. Seat 0 is displayed as 1."""
        return self.say("seat", seat=seat + 1)

    def percent(self, rate: float, digits: int = 1) -> str:
        """Format a fraction as a percentage in the language of the chart."""
        written = f"{100 * rate:.{digits}f}"
        return f"{written}%" if self.language == "en" else f"{written.replace('.', ',')}\u00a0%"

    def whole(self, value: float) -> str:
        """Format a whole number with thousands separators."""
        return f"{round(value):,}" if self.language == "en" else f"{round(value):,}".replace(",", ".")

    def panel(self, top: float, size: float, across: tuple[float, float], down: tuple[float, float]) -> Panel:
        """Add and return a panel. `top` is its upper edge and `size` its height, both in SVG units.

        `across` contains the values at the left and right edges. `down` contains the values at the upper and lower
        edges.
        """
        high, low = down
        rising = Scale(low, high, top + size, top) if high > low else Scale(high, low, top, top + size)
        made = Panel(self.colours, Scale(*across, LEFT, WIDTH - RIGHT), rising)
        self.panels.append(made)
        return made

    def _title(self) -> tuple[str, str, str]:
        name = str(self.game.texts.sections[self.language]["names"]["title"])
        below = f"{self.counted_text()} · {self.say('seed', seed=short(self.counted['seed'], SEED))}"
        return (
            f"{name}: {below}",
            text(name, LEFT, 26, "bold", font_size=14, fill=self.colours.ink),
            text(below, LEFT, 43, "plain", font_size=9, fill=self.colours.faint),
        )

    def _lengths(self, top: float) -> None:
        plies, colours = self.counted["plies"], self.colours
        bars = plies["histogram"]
        left, right = (bars[0]["from"], bars[-1]["to"] + 1) if bars else (0, 1)
        highest = max((bar["games"] for bar in bars), default=1)
        panel = self.panel(top, self.foot, (left, right), (LENGTH_HEADROOM * highest, 0))
        panel.levels(3, self.whole, whole=True)
        for bar in bars:
            x, y = panel.x(bar["from"]), panel.y(bar["games"])
            paint: dict[str, float | str] = {
                "fill": colours.faint,
                "fill_opacity": 0.55,
                "stroke": colours.paper,
                "stroke_width": 0.8,
            }
            panel.box(x, y, panel.x(bar["to"] + 1) - x, panel.bottom - y, **paint)
        panel.columns(6, self.whole, whole=True, grid=False)
        if bars:
            x = panel.x(plies["median"])
            panel.line((x, panel.top, x, panel.bottom), colours.ink, 1.2)
            panel.write(
                self.say("median", median=self.whole(plies["median"])), x + 4, panel.top - 7, colour=colours.ink
            )
        panel.title_below(f"{self.say('lengths')} ({self.say('moves')})")
        x, y = panel.left - 44, (panel.top + panel.bottom) / 2
        turned = {"transform": f"rotate(-90 {number(x)} {number(y)})", "text_anchor": "middle"}
        panel.parts.append(text(self.say("games"), x, y, "plain", font_size=8.5, fill=colours.faint, **turned))
