"""A tournament as a picture: the ratings, the best first, and who scored how much against whom."""

from __future__ import annotations

from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter, MaxNLocator
from matplotlib.transforms import offset_copy

from service.jobs.charts.frame import AXIS, HEAD, Chart

ROW_HEIGHT: Final = 0.42
CELL: Final = 0.34
TABLE_HEAD: Final = 0.3
TABLE_FOOT: Final = 0.55
"""Sizes in inches: of a row of ratings, of one of the table, and above and below that."""

MARGIN: Final = 0.06
LEAST: Final = 50.0
"""How much of the scale is free at each end, and how many points to each side it shows at least."""

FULL: Final = 0.75
"""How strong the colour of a cell is in which everything was won."""


class StrengthChart(Chart):
    """A picture of ratings and of a cross table."""

    def height(self) -> float:
        """Return how high ratings and table are, with the axis between them."""
        entrants = len(self.counted["entrants"])
        return entrants * (ROW_HEIGHT + CELL) + AXIS + TABLE_HEAD + TABLE_FOOT

    def draw(self, figure: Figure, height: float) -> None:
        """Draw ratings and table."""
        entrants = sorted(self.counted["entrants"], key=lambda entrant: entrant["place"])
        rated = len(entrants) * ROW_HEIGHT
        self._ratings(self.axes(figure, height, HEAD, rated), entrants)
        table = self.axes(figure, height, HEAD + rated + AXIS + TABLE_HEAD, len(entrants) * CELL)
        self._table(table, entrants)

    def _ratings(self, axes: Axes, entrants: list[dict[str, Any]]) -> None:
        """Draw each rating in its interval; an end that nothing bounds is an arrow out of the picture."""
        colours = self.colours
        ratings = [entrant["rating"] for entrant in entrants]
        known = [end for rating in ratings for end in (rating["elo"], *rating["interval"]) if end is not None]
        low, high = min(*known, -LEAST), max(*known, LEAST)
        low, high = low - MARGIN * (high - low), high + MARGIN * (high - low)
        axes.axvline(0, color=colours.faint, linewidth=1, linestyle=(0, (4, 3)), zorder=1)
        rows = []
        for y, (entrant, rating) in enumerate(zip(entrants, ratings, strict=True)):
            colour = colours.bots[y % len(colours.bots)]
            ends = [edge if end is None else end for end, edge in zip(rating["interval"], (low, high), strict=True)]
            self.point(axes, rating["elo"], ends, y, colour, main=True)
            for end, edge, arrow, inward in zip(rating["interval"], (low, high), "<>", (5, -5), strict=True):
                if end is None:
                    inside = offset_copy(axes.transData, axes.get_figure(root=True), inward, units="points")
                    axes.plot([edge], [y], arrow, color=colour, markersize=8, zorder=3, transform=inside)
            rows.append((float(y), f"{entrant['place']}. {entrant['name']}", colours.ink, 10.5))
            self.note_row(axes, self._points(rating["elo"]), y, main=True)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xlim(low, high)
        self.name_rows(axes, rows)
        axes.grid(axis="x", color=colours.grid, linewidth=0.6)
        axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda points, _: self._points(points)))
        axes.set_xlabel(f"{self.say('rating')}: {self.say('rating_note')}", color=colours.faint, fontsize=8.5)
        zero = self.counted["zero"]
        self.note_line(axes, self.say("mean") if len(zero) > 1 else self.say("anchor"), 0)

    def _table(self, axes: Axes, entrants: list[dict[str, Any]]) -> None:
        """Write everybody's score against everybody, the deeper the colour the more."""
        colours, count = self.colours, len(entrants)
        for y, entrant in enumerate(entrants):
            met = {other["name"]: other for other in entrant["against"]}
            for x, other in enumerate(entrants):
                cell = met.get(other["name"])
                if cell is None or not cell["games"]:
                    continue
                face = to_rgba(colours.bots[y % len(colours.bots)], FULL * cell["score"])
                axes.add_patch(Rectangle((x, y), 1, 1, facecolor=face, edgecolor=colours.paper, linewidth=1.5))
                text = self.percent(cell["score"], 0)
                axes.text(x + 0.5, y + 0.5, text, color=colours.ink, fontsize=8.5, ha="center", va="center")
        axes.set_xlim(0, count)
        axes.set_ylim(count, 0)
        rows = [(y + 0.5, f"{each['place']}. {each['name']}", colours.ink, 9.0) for y, each in enumerate(entrants)]
        self.name_rows(axes, rows)
        axes.spines["bottom"].set_visible(False)
        axes.xaxis.tick_top()
        axes.set_xticks([x + 0.5 for x in range(count)], [f"{each['place']}." for each in entrants])
        axes.annotate(
            self.say("table"),
            (0.5, 0),
            (0, -12),
            "axes fraction",
            "offset points",
            color=colours.faint,
            fontsize=8.5,
            ha="center",
            va="top",
        )

    def _points(self, points: float) -> str:
        sign = "+" if round(points) > 0 else "\N{MINUS SIGN}" if round(points) < 0 else ""
        return sign + self.whole(abs(points))
