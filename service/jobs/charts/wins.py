"""The chart of a simulation. It shows the win rate of each bot, in all seats together and in each seat."""

from __future__ import annotations

from typing import Final

from service.jobs.charts.frame import AXIS, HEAD, Chart

BOT_ROW: Final = 24.0
"""Height of a bot's row, in SVG units."""

SEAT: Final = 16.0
"""Height of a seat's row, in SVG units."""

GAP: Final = 12.0
"""Height of the space between the rows of two bots, in SVG units."""


class WinChart(Chart):
    """The chart of a simulation. It shows the win rates of each bot."""

    def height(self) -> float:
        """Return the total height of the bots' rows and the axis, in SVG units."""
        return self._rows() + AXIS

    def draw(self) -> None:
        """Draw each bot's win rate with its confidence interval.

        A vertical line marks the win rate that each bot would have if all bots were equally strong.
        """
        bots, colours = self.counted["bots"], self.colours
        shares = [bound for bot in bots for count in (bot, *bot["by_seat"]) for bound in count["interval"]]
        low, high = max(0.0, min(shares) - 0.02), min(1.0, max(shares) + 0.02)
        equal = 1 / len(self.game.teams(len(bots)))
        low, high = min(low, max(0.0, equal - 0.05)), max(high, min(1.0, equal + 0.05))
        panel = self.panel(HEAD, self._rows(), (low, high), (0, self._rows()))
        panel.columns(6, lambda rate: self.percent(rate, 0))
        panel.mark_column(self.say("equal"), equal)
        y = GAP / 2
        for number, bot in enumerate(bots):
            colour = colours.bots[number % len(colours.bots)]
            seats = [(SEAT, count, self.seat_name(count["seat"])) for count in bot["by_seat"]]
            for size, count, name in [(BOT_ROW, bot, bot["bot"]), *seats]:
                main, middle = count is bot, y + size / 2
                panel.point(count["win_rate"], count["interval"], middle, colour, main=main)
                panel.name_row(middle, name, colours.ink if main else colours.faint, 10.5 if main else 8.5)
                panel.note_row(self.percent(count["win_rate"]), middle, main=main)
                y += size
            y += GAP
        panel.title_below(f"{self.say('wins')}: {self.say('wins_note')}")

    def _rows(self) -> float:
        return float(sum(BOT_ROW + GAP + SEAT * len(bot["by_seat"]) for bot in self.counted["bots"]))
