"""A simulation as a picture: how often each bot won, over all seats and in each."""

from __future__ import annotations

from typing import Final

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from service.jobs.charts.frame import AXIS, HEAD, Chart

BOT_ROW: Final = 0.34
SEAT: Final = 0.22
GAP: Final = 0.16
"""Sizes in inches: of the rows of a bot and of a seat, and between bots."""


class WinChart(Chart):
    """A picture of win rates."""

    def height(self) -> float:
        """Return how high the rows of all bots and their axis are."""
        return self._rows() + AXIS

    def draw(self, figure: Figure, height: float) -> None:
        """Draw how often each bot won, with intervals, beside what equal players would."""
        axes = self.axes(figure, height, HEAD, self._rows())
        bots, colours = self.counted["bots"], self.colours
        shares = [bound for bot in bots for count in (bot, *bot["by_seat"]) for bound in count["interval"]]
        low, high = max(0.0, min(shares) - 0.02), min(1.0, max(shares) + 0.02)
        equal = 1 / len(self.game.teams(len(bots)))
        low, high = min(low, max(0.0, equal - 0.05)), max(high, min(1.0, equal + 0.05))
        axes.axvline(equal, color=colours.faint, linewidth=1, linestyle=(0, (4, 3)), zorder=1)
        y, rows = 0.0, []
        for number, bot in enumerate(bots):
            colour = colours.bots[number % len(colours.bots)]
            y += BOT_ROW / 2
            self.point(axes, bot["win_rate"], bot["interval"], y, colour, main=True)
            rows.append((y, bot["bot"], colours.ink, 10.5))
            self.note_row(axes, self.percent(bot["win_rate"]), y, main=True)
            y += BOT_ROW / 2
            for count in bot["by_seat"]:
                y += SEAT / 2
                self.point(axes, count["win_rate"], count["interval"], y, colour, main=False)
                self.note_row(axes, self.percent(count["win_rate"]), y, main=False)
                rows.append((y, self.say("seat", seat=count["seat"]), colours.faint, 8.5))
                y += SEAT / 2
            y += GAP
        axes.set_ylim(y - GAP / 2, -GAP / 2)
        axes.set_xlim(low, high)
        self.name_rows(axes, rows)
        axes.grid(axis="x", color=colours.grid, linewidth=0.6)
        axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda rate, _: self.percent(rate, 0)))
        axes.set_xlabel(f"{self.say('wins')}: {self.say('wins_note')}", color=colours.faint, fontsize=8.5, labelpad=5)
        self.note_line(axes, self.say("equal"), equal)

    def _rows(self) -> float:
        return float(sum(BOT_ROW + GAP + SEAT * len(bot["by_seat"]) for bot in self.counted["bots"]))
