"""The chart of a tournament. It shows the ratings in descending order. A cross table shows the score of each pair."""

from __future__ import annotations

from typing import Any, Final

from games.core.svg import element, number
from service.jobs.charts.frame import AXIS, HEAD, Chart
from service.jobs.charts.panel import Panel

ROW_HEIGHT: Final = 30.0
"""Height of a rating's row, in SVG units."""

CELL: Final = 24.0
"""Height of a row of the cross table, in SVG units."""

TABLE_HEAD: Final = 22.0
"""Height of the space above the cross table, in SVG units."""

TABLE_FOOT: Final = 48.0
"""Height of the space below the cross table, in SVG units."""

RATING_MARGIN: Final = 0.06
"""Space added at each end of the rating axis, as a fraction of the axis length without these spaces."""

MIN_RANGE: Final = 50.0
"""Minimum number of Elo points that the rating axis shows on each side of 0."""

FULL: Final = 0.45
"""Opacity of a table cell with only wins. It is low enough to keep the score legible in both themes."""


class StrengthChart(Chart):
    """The chart of a tournament: a row for each rating, and a cross table of scores."""

    def height(self) -> float:
        """Return the height of the ratings and the cross table, in SVG units."""
        entrants = len(self.counted["entrants"])
        return entrants * (ROW_HEIGHT + CELL) + AXIS + TABLE_HEAD + TABLE_FOOT

    def draw(self) -> None:
        entrants = sorted(self.counted["entrants"], key=lambda entrant: entrant["place"])
        rated, count = len(entrants) * ROW_HEIGHT, len(entrants)
        known = [
            end
            for entrant in entrants
            for end in (entrant["rating"]["elo"], *entrant["rating"]["interval"])
            if end is not None
        ]
        low, high = min(*known, -MIN_RANGE), max(*known, MIN_RANGE)
        room = RATING_MARGIN * (high - low)
        self._ratings(self.panel(HEAD, rated, (low - room, high + room), (0, count)), entrants)
        self._table(self.panel(HEAD + rated + AXIS + TABLE_HEAD, count * CELL, (0, count), (0, count)), entrants)

    def _ratings(self, panel: Panel, entrants: list[dict[str, Any]]) -> None:
        colours = self.colours
        panel.columns(6, self._points)
        zero = self.counted["zero"]
        panel.mark_column(self.say("mean") if len(zero) > 1 else self.say("anchor"), 0)
        for row, entrant in enumerate(entrants):
            colour, y, rating = colours.bots[row % len(colours.bots)], row + 0.5, entrant["rating"]
            edges = (panel.x.low, panel.x.high)
            ends = [edge if end is None else end for end, edge in zip(rating["interval"], edges, strict=True)]
            panel.point(rating["elo"], ends, y, colour, main=True)
            for end, edge, inward in zip(rating["interval"], edges, (1, -1), strict=True):
                if end is None:
                    tip, middle = panel.x(edge) + inward, panel.y(y)
                    corners = f"M{number(tip)} {number(middle)}l{8 * inward}-4v8z"
                    panel.parts.append(element("path", d=corners, fill=colour))
            panel.name_row(y, f"{entrant['place']}. {entrant['name']}", colours.ink, 10.5)
            panel.note_row(self._points(rating["elo"]), y, main=True)
        panel.title_below(f"{self.say('rating')}: {self.say('rating_note')}")

    def _table(self, panel: Panel, entrants: list[dict[str, Any]]) -> None:
        colours = self.colours
        width = (panel.right - panel.left) / len(entrants)
        for row, entrant in enumerate(entrants):
            met = {other["name"]: other for other in entrant["against"]}
            panel.name_row(row + 0.5, f"{entrant['place']}. {entrant['name']}", colours.ink, 9)
            panel.write(f"{entrant['place']}.", panel.x(row + 0.5), panel.top - 9, anchor="middle")
            for column, other in enumerate(entrants):
                cell = met.get(other["name"])
                if cell is None or not cell["games"]:
                    continue
                paint = {"fill": colours.bots[row % len(colours.bots)], "fill_opacity": f"{FULL * cell['score']:.2f}"}
                panel.box(panel.x(column) + 1, panel.y(row) + 1, width - 2, CELL - 2, **paint)
                score = self.percent(cell["score"], 0)
                panel.write(score, panel.x(column + 0.5), panel.y(row + 0.5), 8.5, colours.ink, "middle")
        panel.write(self.say("table"), (panel.left + panel.right) / 2, panel.bottom + 16, 8.5, anchor="middle")

    def _points(self, points: float) -> str:
        sign = "+" if round(points) > 0 else "\N{MINUS SIGN}" if round(points) < 0 else ""
        return sign + self.whole(abs(points))
