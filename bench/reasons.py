"""Truth, stability and cost of reasons, measured in many positions of every game."""

from __future__ import annotations

import gc
import hashlib
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from string import Template
from typing import Any, Final

import msgspec

from bench import report, truth
from bench.arena import position
from bench.machine import processor
from games.core.advice import SETTLED
from games.core.dice import FastDice
from games.core.game import Game, View
from games.core.reasons import NAMED
from games.core.registry import registered
from games.core.table import Table
from games.search.advise import Budget
from games.search.analysis import Analysis

HERE: Final = Path(__file__).resolve().parent
RESULTS: Final = HERE / "results" / "reasons"
PAGE: Final = HERE.parent / "docs" / "benchmarks" / "reasons.md"

LEVEL: Final = "tuned"
"""The level of a search by default."""

PLAYED_WORLDS: Final = 400
"""Number of fresh worlds in which a move is played out."""

SLICE: Final = 50
"""Iterations after which the other one of two timed searches goes on."""

PORTION: Final = 20
"""Number of positions after which the measurement of another game or number of seats goes on."""

HALF: Final = 0.5

SEALED_PARTS: Final = 6
"""Number of times as many positions for a game that hides only answers: few of these positions have risks."""


class Reasons(msgspec.Struct, kw_only=True):
    """Sums over the positions of a game with a number of seats.

    `mark` is a digest of the games' code and texts; a measurement continues only with the same one. Older measurements
    have no `played_found`. `minimum` is the part of a difference that named gains carried then.
    """

    game: str
    seats: int
    iterations: int
    mark: str = ""
    machine: str = ""
    date: str = ""
    positions: int = 0
    explained: int = 0
    gains: int = 0
    minimum: float = 0.5
    parts: list[float] = []
    risks: int = 0
    checked: int = 0
    agree: int = 0
    losses: int = 0
    played: int = 0
    played_losses: int = 0
    played_agree: int = 0
    played_found: float | None = None
    stated: float = 0.0
    found: float = 0.0
    twice: int = 0
    turned: int = 0
    risks_twice: int = 0
    risks_turned: int = 0
    plain_seconds: float = 0.0
    seconds: float = 0.0

    @property
    def name(self) -> str:
        """Return the name of its file."""
        return f"{self.game}-{self.seats}"

    def look(self, number: int) -> None:
        """Measure one position."""
        game = registered()[self.game]
        table, seat = place_of(game, self.seats, number)
        view = game.view(table, seat)
        row, analysis = self.compare_times(game, view, number)
        reasons = row["reasons"]
        self.positions += 1
        self.explained += bool(reasons["gains"])
        self.gains += len(reasons["gains"])
        self.risks += len(reasons["risks"])
        if analysis.advisor.lead() == SETTLED:
            return
        if reasons["gains"]:
            compared = truth.compare(game, table, seat, analysis.worth, self.iterations, number)
            if compared is not None and compared.gains:
                self.parts.append(compared.part)
        if reasons["risks"]:
            self.look_at_risks(game, analysis, row, number)
        if reasons["gains"] or reasons["risks"]:
            self.look_twice(game, view, row, number)

    def compare_times(self, game: Game, view: View, number: int) -> tuple[dict[str, Any], Analysis]:
        """Search with reasons and without, and return the best move's row with its analysis.

        Each search has a view that was just read, as in a job. They take turns in slices, so that a busy machine slows
        down both alike.
        """
        written = msgspec.json.encode(view)
        seen = {explain: msgspec.json.decode(written, type=game.view_type) for explain in (False, True)}
        found, told = dict[bool, Analysis](), dict[bool, dict[str, Any]]()

        def begin(explain: bool) -> None:  # noqa: FBT001 -- one of two ways
            found[explain] = Analysis(game, seen[explain], number, LEVEL, explain=explain)

        def search(explain: bool) -> None:  # noqa: FBT001 -- as above
            found[explain].advisor.run(SLICE)

        def end(explain: bool) -> None:  # noqa: FBT001 -- as above
            told[explain] = found[explain].run(Budget(self.iterations))

        gc.disable()  # as in a worker, where a search keeps it off
        for turn, work in enumerate((begin, *[search] * (self.iterations // SLICE), end)):
            for explain in (True, False) if (number + turn) % 2 else (False, True):
                began = time.process_time()
                work(explain)
                took = time.process_time() - began
                self.seconds += took if explain else 0.0
                self.plain_seconds += 0.0 if explain else took
        gc.enable()
        return told[True]["moves"][0], found[True]

    def look_at_risks(self, game: Game, analysis: Analysis, row: dict[str, Any], number: int) -> None:
        """Compare the risks of a move with fresh worlds, searched and played out."""
        place = analysis.table, analysis.seat, analysis.worth, row["code"]
        search = truth.fresh_search(*place, self.iterations, number + 1)
        searched = truth.trace_of(search, row["code"])
        played = truth.play_out(search, row["code"], PLAYED_WORLDS, number + 2)
        for risk in row["reasons"]["risks"]:
            fact = truth.number_of(game, analysis.table, row["code"], risk)
            loss, margin = risk["otherwise"] - risk["value"], risk["margin"]
            checked = truth.check(loss, margin, truth.cells_of(searched, fact))
            if checked is not None:
                self.checked += 1
                self.agree += checked.agrees
                self.losses += checked.is_loss
                self.stated += checked.stated
                self.found += checked.found
            ended = truth.check(loss, margin, truth.cells_of(played, fact))
            if ended is not None:
                self.played += 1
                self.played_losses += ended.found > 0
                self.played_agree += ended.agrees
                self.played_found = (self.played_found or 0.0) + ended.found

    def look_twice(self, game: Game, view: View, row: dict[str, Any], number: int) -> None:
        """Search twice as long, and see whether the main reasons for the same move have changed sides."""
        longer = Analysis(game, view, number, LEVEL, explain=True)
        longer.run(Budget(2 * self.iterations))
        turned = truth.turned(game, longer, row)
        self.twice += turned.gain is not None
        self.turned += bool(turned.gain)
        self.risks_twice += turned.risk is not None
        self.risks_turned += bool(turned.risk)


def place_of(game: Game, seats: int, number: int) -> tuple[Table, int]:
    """Return a position and a seat to act. If a game hides only answers, half of the positions have several to act."""
    return position(game, seats, number, several=hides_answers(game) and number % 2 == 1)


def hides_answers(game: Game) -> bool:
    """Return whether a searched game hides nothing but answers that are given at the same time."""
    table = game.new(min(game.seat_numbers), game.options_type(), FastDice(0))
    return bool(game.groups) and type(table).facts is Table.facts


def positions_of(game: Game, positions: int) -> int:
    """Return the number of positions for each number of seats, from the number for a game."""
    return -(-positions * (SEALED_PARTS if hides_answers(game) else 1) // len(game.seat_numbers))


def resume(game: str, seats: int, iterations: int, mark: str) -> Reasons:
    """Return a measurement as far as it is kept, if code and iterations are still the same; else begin it."""
    path = RESULTS / f"{game}-{seats}.json"
    if path.exists():
        found = msgspec.json.decode(path.read_bytes(), type=Reasons)
        if (found.mark, found.iterations) == (mark, iterations):
            return found
    return Reasons(
        game=game,
        seats=seats,
        iterations=iterations,
        mark=mark,
        minimum=NAMED,
        machine=processor(),
        date=time.strftime("%Y-%m-%d"),
    )


def measure(found: Reasons, positions: int, until: float) -> Iterator[Reasons]:
    """Measure on up to a number of positions or a time, and yield the measurement after each position.

    A first search fills the caches that a worker keeps.
    """
    game = registered()[found.game]
    table, seat = position(game, found.seats, 0)
    Analysis(game, game.view(table, seat), 0, LEVEL, explain=True).run(Budget(100))
    while found.positions < positions and time.monotonic() <= until:
        found.look(found.positions)
        yield found


def take_turns(kept: Sequence[tuple[Reasons, int]], until: float) -> Iterator[Reasons]:
    """Continue measurements up to their numbers of positions, PORTION positions in turn, and yield each position's."""
    for upto in range(PORTION, max(positions for _, positions in kept) + PORTION, PORTION):
        for found, positions in kept:
            if found.positions < min(upto, positions):
                yield from measure(found, min(upto, positions), until)


def keep(found: Reasons) -> None:
    """Write a measurement down for the page."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    report.keep(found, RESULTS / f"{found.name}.json")


def code_mark() -> str:
    """Return a digest of the code and texts of all games."""
    digest = hashlib.sha256()
    for path in sorted(path for end in ("py", "json") for path in (HERE.parent / "games").rglob(f"*.{end}")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def write() -> Path:
    """Write the page from everything that is kept, and return it."""
    PAGE.write_text(document(everything()), "utf-8")
    return PAGE


def everything() -> list[Reasons]:
    """Return all measurements that are kept."""
    return [msgspec.json.decode(path.read_bytes(), type=Reasons) for path in sorted(RESULTS.glob("*.json"))]


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
            ("game", "seats", "explained", "minimum", "median part removed", "at least half"),
            [gains(found) for found in searched],
        ),
        risks=report.table(
            ("game", "seats", "risks", "agree", "a loss for certain", "mean stated", "mean found"),
            [risks(found) for found in searched],
        ),
        played=report.table(
            ("game", "seats", "risks", "worse", "agree", "mean loss"), [played(found) for found in searched]
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
    first = found.game, str(found.seats), str(len(found.parts)), f"{100 * found.minimum:.0f} %"
    return *first, part, share(held, len(found.parts))


def risks(found: Reasons) -> tuple[str, ...]:
    """Return a row about risks in fresh searches."""
    number = found.checked
    means = [f"{100 * total / number:.1f} %" if number else "none" for total in (found.stated, found.found)]
    checks = share(found.agree, number), share(found.losses, number)
    return found.game, str(found.seats), str(number), *checks, *means


def played(found: Reasons) -> tuple[str, ...]:
    """Return a row about risks that are played out."""
    number = found.played
    first = found.game, str(found.seats), str(number), share(found.played_losses, number)
    if number and found.played_found is None:
        return *first, "not measured", "not measured"
    mean = f"{100 * (found.played_found or 0.0) / number:.1f} %" if number else "none"
    return *first, share(found.played_agree, number), mean


def stability(found: Reasons) -> tuple[str, ...]:
    """Return a row about a search twice as long."""
    both = found.turned + found.risks_turned
    first = (found.game, str(found.seats), str(found.twice), str(found.turned))
    return (*first, str(found.risks_twice), str(found.risks_turned), share(both, found.positions))


def share(part: int, whole: int) -> str:
    """Return a part as a percentage."""
    return f"{100 * part / whole:.0f} %" if whole else "none"
