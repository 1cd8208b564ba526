"""Truth, stability and cost of reasons, measured in many positions of every game."""

from __future__ import annotations

import time
from pathlib import Path
from statistics import median
from string import Template
from typing import Any, Final

import msgspec

from bench import report, truth
from bench.arena import position
from bench.machine import processor
from games.core.advice import SETTLED
from games.core.game import Game
from games.core.registry import registered
from games.search.advise import Budget
from games.search.analysis import Analysis
from games.search.explain import parts_of

HERE: Final = Path(__file__).resolve().parent
RESULTS: Final = HERE / "results" / "reasons"
PAGE: Final = HERE.parent / "docs" / "benchmarks" / "reasons.md"

LEVEL: Final = "tuned"
"""The level of a search by default."""

PLAYED_WORLDS: Final = 400
"""Number of fresh worlds in which a move is played out."""

HALF: Final = 0.5


class Reasons(msgspec.Struct, kw_only=True):
    """Sums over the positions of a game with a number of seats."""

    game: str
    seats: int
    iterations: int
    machine: str = ""
    date: str = ""
    positions: int = 0
    explained: int = 0
    gains: int = 0
    parts: list[float] = []
    risks: int = 0
    checked: int = 0
    agree: int = 0
    losses: int = 0
    played: int = 0
    played_losses: int = 0
    played_gains: int = 0
    stated: float = 0.0
    found: float = 0.0
    twice: int = 0
    turned: int = 0
    risks_twice: int = 0
    risks_turned: int = 0
    plain_seconds: float = 0.0
    seconds: float = 0.0

    def look(self, number: int) -> None:
        """Measure one position."""
        game = registered()[self.game]
        table, seat = position(game, self.seats, number)
        self.positions += 1
        view = game.view(table, seat)
        times = dict[bool, float]()
        for explain in (True, True, False) if number % 2 else (True, False, True):  # the first one fills the caches
            began = time.process_time()
            analysis = Analysis(game, view, number, LEVEL, explain=explain)
            found = analysis.run(Budget(self.iterations))
            times[explain] = time.process_time() - began
            if explain:
                told, explained = found, analysis
        self.plain_seconds += times[False]
        self.seconds += times[True]
        analysis = explained
        row = told["moves"][0]
        self.explained += bool(row["reasons"]["gains"])
        self.gains += len(row["reasons"]["gains"])
        self.risks += len(row["reasons"]["risks"])
        if analysis.advisor.lead() == SETTLED:
            return
        compared = truth.compare(game, table, seat, game.worth(LEVEL), self.iterations, number)
        if compared is not None and compared.gains:
            self.parts.append(compared.part)
        self.look_at_risks(game, analysis, row, number)
        self.look_twice(game, view, row, number)

    def look_at_risks(self, game: Game, analysis: Analysis, row: dict[str, Any], number: int) -> None:
        """Compare the risks of a move with fresh worlds, searched and played out."""
        code, worth = row["code"], game.worth(LEVEL)
        for risk in row["reasons"]["risks"]:
            fact = truth.number_of(game, analysis.table, code, risk)
            place = analysis.table, analysis.seat, worth, code, fact
            loss, margin = risk["otherwise"] - risk["value"], risk["margin"]
            checked = truth.check(loss, margin, truth.search_again(*place, self.iterations, number + 1))
            if checked is not None:
                self.checked += 1
                self.agree += checked.agrees
                self.losses += checked.is_loss
                self.stated += checked.stated
                self.found += checked.found
            played = truth.check(loss, margin, truth.play_out(*place, PLAYED_WORLDS, number + 2))
            if played is not None:
                self.played += 1
                self.played_losses += played.found > 0
                self.played_gains += -played.found > played.found_margin

    def look_twice(self, game: Game, view: Any, row: dict[str, Any], number: int) -> None:
        """Search twice as long, and see whether the reasons for the same move have changed sides."""
        longer = Analysis(game, view, number, LEVEL, explain=True)
        longer.run(Budget(2 * self.iterations))
        reasons, traces, code = row["reasons"], longer.reasoner and longer.reasoner.traces, row["code"]
        own = traces.get(code) if traces else None
        other = traces.get(reasons.get("against", -1)) if traces else None
        if reasons["gains"] and own is not None and other is not None:
            parts = parts_of(game, longer.table, longer.seat, longer.worth, own, other)
            first = reasons["gains"][0]
            value = next(
                (part.value for part in parts if (part.code, part.seats) == (first["code"], first["seats"])), 0.0
            )
            self.twice += 1
            self.turned += value * first["value"] <= 0
        for risk in reasons["risks"][:1]:
            if own is not None:
                fact = truth.number_of(game, longer.table, code, risk)
                found = truth.check(0.0, 0.0, truth.cells_of(own, fact))
                self.risks_twice += 1
                self.risks_turned += found is None or found.found <= 0


def measure(game: str, seats: int, positions: int, iterations: int) -> Reasons:
    """Return the measurement of a number of positions."""
    found = Reasons(game=game, seats=seats, iterations=iterations)
    found.machine, found.date = processor(), time.strftime("%Y-%m-%d")
    for number in range(positions):
        found.look(number)
    return found


def keep(found: Reasons) -> None:
    """Write a measurement down for the page."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    report.keep(found, RESULTS / f"{found.game}-{found.seats}.json")


def write() -> Path:
    """Write the page from everything that is kept, and return it."""
    kept = [msgspec.json.decode(path.read_bytes(), type=Reasons) for path in sorted(RESULTS.glob("*.json"))]
    PAGE.write_text(document(kept), "utf-8")
    return PAGE


def document(kept: list[Reasons]) -> str:
    """Return the page's text."""
    searched = [found for found in kept if found.parts]
    return Template((HERE / "reasons.md").read_text("utf-8")).substitute(
        machines=", ".join(sorted({f"{found.machine} ({found.date})" for found in kept})),
        iterations=", ".join(sorted({f"{found.iterations:,}" for found in kept})),
        overview=report.table(
            ("game", "seats", "positions", "with gains", "gains each", "with risks, risks in all", "more time"),
            [overview(found) for found in kept],
        ),
        gains=report.table(
            ("game", "seats", "explained", "median part removed", "at least half"), [gains(found) for found in searched]
        ),
        risks=report.table(
            ("game", "seats", "risks", "agree", "a loss for certain", "mean stated", "mean found", "played out: worse"),
            [risks(found) for found in searched],
        ),
        stability=report.table(
            ("game", "seats", "main gains", "changed sides", "main risks", "changed sides", "of positions"),
            [stability(found) for found in searched],
        ),
    )


def overview(found: Reasons) -> tuple[str, ...]:
    """Return a row of the overview."""
    each = f"{found.gains / max(1, found.explained):.1f}"
    more = found.seconds / found.plain_seconds - 1
    first = (found.game, str(found.seats), str(found.positions), share(found.explained, found.positions), each)
    return (*first, str(found.risks), f"{100 * more:+.0f} %")


def gains(found: Reasons) -> tuple[str, ...]:
    """Return a row about gains."""
    held = sum(part >= HALF for part in found.parts)
    part = f"{100 * median(found.parts):.0f} %"
    return found.game, str(found.seats), str(len(found.parts)), part, share(held, len(found.parts))


def risks(found: Reasons) -> tuple[str, ...]:
    """Return a row about risks."""
    number = max(1, found.checked)
    means = (f"{100 * found.stated / number:.1f} %", f"{100 * found.found / number:.1f} %")
    checks = share(found.agree, found.checked), share(found.losses, found.checked)
    played = share(found.played_losses, found.played)
    return found.game, str(found.seats), str(found.checked), *checks, *means, played


def stability(found: Reasons) -> tuple[str, ...]:
    """Return a row about a search twice as long."""
    both = found.turned + found.risks_turned
    first = (found.game, str(found.seats), str(found.twice), str(found.turned))
    return (*first, str(found.risks_twice), str(found.risks_turned), share(both, found.positions))


def share(part: int, whole: int) -> str:
    """Return a part as a percentage."""
    return f"{100 * part / whole:.0f} %" if whole else "none"
