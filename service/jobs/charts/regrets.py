"""A review as a picture: how accurate each seat was, and what each decision gave away."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from service.jobs.charts.frame import AXIS, HEAD, Chart

SEAT_ROW: Final = 0.46
COURSE: Final = 2.4
COURSE_AXIS: Final = 0.1
"""Sizes in inches: of a seat's row, of the course of all decisions, and of its axis."""

SIZES: Final = {"good": 3.0, "mistake": 6.0, "blunder": 9.0}
"""How large the point of a decision is, by the verdict on it."""

ABOVE: Final = 1.25
"""How much higher the picture is than the highest point in it."""


class RegretChart(Chart):
    """A picture of accuracies and of regrets."""

    foot: ClassVar[float] = 0.0

    def counted_text(self) -> str:
        """Say how many decisions are rated."""
        return self.say("reviewed", count=len(self.counted["decisions"]))

    def height(self) -> float:
        """Return how high the rows of all seats, the course of the decisions, and their axes are."""
        return self._rows() + AXIS + COURSE + COURSE_AXIS

    def draw(self, figure: Figure, height: float) -> None:
        """Draw how accurate each seat was, and below what each decision gave away, in its seat's colour."""
        self._accuracies(self.axes(figure, height, HEAD, self._rows()))
        self._course(self.axes(figure, height, HEAD + self._rows() + AXIS, COURSE))

    def _rows(self) -> float:
        return SEAT_ROW * len(self.counted["seats"])

    def _colour(self, seat: int) -> str:
        bots = self.colours.bots
        return bots[seat % len(bots)]

    def _accuracies(self, axes: Axes) -> None:
        """Draw a bar for each seat, with the number of its mistakes and blunders below its name."""
        colours, rows = self.colours, []
        for y, seat in enumerate(self.counted["seats"]):
            accuracy = seat["accuracy"]
            axes.barh(y, accuracy or 0.0, 0.36, color=self._colour(seat["seat"]), alpha=0.75)
            name = self.say("seat", seat=seat["seat"] + 1)  # as people count
            rows.append((float(y), name, colours.ink, 10.5))
            if accuracy is not None:
                self.note_row(axes, self.percent(accuracy), y, main=True)
            said = self.say("faults", mistakes=seat["mistakes"], blunders=seat["blunders"])
            axes.annotate(
                said, (0, y), (2, -13), ("axes fraction", "data"), "offset points", color=colours.faint, fontsize=8
            )
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_xlim(0, 1)
        self.name_rows(axes, rows)
        axes.grid(axis="x", color=colours.grid, linewidth=0.6)
        axes.xaxis.set_major_locator(MaxNLocator(5))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda rate, _: self.percent(rate, 0)))
        text = f"{self.say('accuracy')}: {self.say('accuracy_note')}"
        axes.set_xlabel(text, color=colours.faint, fontsize=8.5, labelpad=5)

    def _course(self, axes: Axes) -> None:
        """Draw the regret of every decision at its line of the history, the graver the larger, over the thresholds."""
        colours, decisions = self.colours, self.counted["decisions"]
        thresholds = self.counted["thresholds"]
        top = ABOVE * max([thresholds["blunder"], *(decision["regret"] for decision in decisions)])
        for name, at in thresholds.items():
            axes.axhline(at, color=colours.faint, linewidth=1, linestyle=(0, (4, 3)), zorder=1)
            axes.annotate(
                self.say(name), (1, at), (4, 0), ("axes fraction", "data"), "offset points",
                color=colours.faint, fontsize=8, va="center", annotation_clip=False,
            )  # fmt: skip
        for decision in decisions:
            self._decision(axes, decision, top)
        axes.set_ylim(0, top)
        axes.margins(x=0.02)
        axes.grid(axis="y", color=colours.grid, linewidth=0.6)
        axes.spines["left"].set_visible(False)
        axes.xaxis.set_major_locator(MaxNLocator(8, integer=True))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda line, _: self.whole(line)))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda regret, _: self.percent(regret, 0)))
        axes.set_xlabel(self.say("line"), color=colours.faint, fontsize=8.5, labelpad=5)
        axes.set_title(
            f"{self.say('regret')}: {self.say('regret_note')}", color=colours.faint, fontsize=8.5, loc="left", pad=6
        )

    def _decision(self, axes: Axes, decision: dict[str, Any], top: float) -> None:
        """Draw a decision as a point; one that was at fault with its interval, as far as that is in the picture."""
        colour, x = self._colour(decision["seat"]), decision["line"]
        verdict = decision["verdict"]
        if verdict != "good":
            low, high = decision["interval"]
            axes.plot([x, x], [low, min(high, top)], color=colour, linewidth=1.4, alpha=0.6, zorder=2)
        axes.plot(
            [x],
            [decision["regret"]],
            "o",
            color=colour,
            markersize=SIZES[verdict],
            markeredgecolor=self.colours.paper,
            markeredgewidth=0.8,
            clip_on=False,
            zorder=3,
        )
