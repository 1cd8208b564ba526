"""The chart of a game review. It shows the accuracy of each seat, and the regret of each decision.

The regret is the chance of winning after the best move, minus the chance of winning after the played move.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

from service.jobs.charts.frame import AXIS, HEAD, Chart
from service.jobs.charts.panel import DASHES, Panel

SEAT_ROW: Final = 33.0
"""Height of a seat's row, in SVG units."""

BAR: Final = 12.0
"""Height of the bar that shows a seat's accuracy, in SVG units."""

COURSE: Final = 173.0
"""Height of the plot of decisions, in SVG units."""

COURSE_AXIS: Final = 7.0
"""Height of the space below the plot of decisions, in SVG units."""

SIZES: Final = {"good": 3.0, "mistake": 6.0, "blunder": 9.0}
"""Size of a decision's dot for each verdict, in SVG units."""

REGRET_HEADROOM: Final = 1.25
"""Upper end of the scale of regrets, divided by the largest regret or the blunder threshold, whichever is larger."""

COURSE_MARGIN: Final = 0.02
"""Empty margin at each side of the plot of decisions, as a fraction of its width."""


class RegretChart(Chart):
    """The chart of a game review. It shows the accuracy of each seat, and the regret of each decision."""

    foot: ClassVar[float] = 0.0

    def counted_text(self) -> str:
        """Return the text that gives the number of rated decisions."""
        return self.say("reviewed", count=len(self.counted["decisions"]))

    def height(self) -> float:
        """Return the total height of the seats' rows and the decision plot, in SVG units."""
        return self._rows() + AXIS + COURSE + COURSE_AXIS

    def draw(self) -> None:
        """Draw a row for each seat with its accuracy.

        Below the rows, plot the regret of each decision in the colour of its seat.
        """
        seats, decisions = self.counted["seats"], self.counted["decisions"]
        self._accuracies(self.panel(HEAD, self._rows(), (0, 1), (0, len(seats))))
        top = REGRET_HEADROOM * max([self.counted["thresholds"]["blunder"], *(each["regret"] for each in decisions)])
        lines = [decision["line"] for decision in decisions] or [0]
        room = max(COURSE_MARGIN * (max(lines) - min(lines)), 0.5)
        course = (min(lines) - room, max(lines) + room)
        self._course(self.panel(HEAD + self._rows() + AXIS, COURSE, course, (top, 0)))

    def _rows(self) -> float:
        return SEAT_ROW * len(self.counted["seats"])

    def _colour(self, seat: int) -> str:
        bots = self.colours.bots
        return bots[seat % len(bots)]

    def _accuracies(self, panel: Panel) -> None:
        panel.columns(5, lambda rate: self.percent(rate, 0))
        for row, seat in enumerate(self.counted["seats"]):
            accuracy, y = seat["accuracy"], row + 0.4
            middle = panel.y(y)
            width = panel.x(accuracy or 0.0) - panel.left
            panel.box(panel.left, middle - BAR / 2, width, BAR, fill=self._colour(seat["seat"]), fill_opacity=0.75)
            panel.name_row(y, self.seat_name(seat["seat"]), self.colours.ink, 10.5)
            if accuracy is not None:
                panel.note_row(self.percent(accuracy), y, main=True)
            said = self.say("faults", mistakes=seat["mistakes"], blunders=seat["blunders"])
            panel.write(said, panel.left + 2, middle + BAR)
        panel.title_below(f"{self.say('accuracy')}: {self.say('accuracy_note')}")

    def _course(self, panel: Panel) -> None:
        panel.levels(6, lambda regret: self.percent(regret, 0))
        panel.columns(8, self.whole, whole=True, grid=False)
        for name, at in self.counted["thresholds"].items():
            y = panel.y(at)
            panel.line((panel.left, y, panel.right, y), self.colours.faint, 1, stroke_dasharray=DASHES)
            panel.write(self.say(name), panel.right + 4, y)
        for decision in self.counted["decisions"]:
            self._decision(panel, decision)
        panel.title_below(self.say("line"))
        panel.write(f"{self.say('regret')}: {self.say('regret_note')}", panel.left, panel.top - 10, 8.5)

    def _decision(self, panel: Panel, decision: dict[str, Any]) -> None:
        colour, x = self._colour(decision["seat"]), panel.x(decision["line"])
        verdict = decision["verdict"]
        if verdict != "good":
            low, high = decision["interval"]
            ends = (x, panel.y(max(low, 0.0)), x, panel.y(min(high, panel.y.high)))
            panel.line(ends, colour, 1.4, stroke_opacity=0.6)
        panel.dot(x, panel.y(decision["regret"]), SIZES[verdict], colour)
