"""Equal bots win evenly by seat: thousands of games of one bot against itself, and a chi-square test of the winners."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from pathlib import Path
from string import Template
from typing import Final

import click
import msgspec

from bench.machine import processor
from bench.report import table
from bench.strength import insist_on_speed
from games.core.game import Game
from games.core.levels import LEVELS, level_of
from games.core.registry import registered
from workers.simulate.batch import SimulationPlan, SimulationWork
from workers.simulate.tally import Tally

RESULTS: Final = Path(__file__).resolve().parent / "results" / "seats"
TEMPLATE: Final = Path(__file__).with_suffix(".md")
PAGE: Final = Path(__file__).resolve().parent.parent / "docs" / "benchmarks" / "seats.md"

ERROR_RATE: Final = 0.05
"""Probability that any row of the page is called uneven by mistake."""


class Evenness(msgspec.Struct, kw_only=True):
    """Wins of one bot against itself: undivided wins of each team, in the order of their first seats."""

    game: str
    ruleset: str
    seats: int
    bot: str
    games: int
    teams: list[list[int]]
    wins: list[int]
    shared: int
    date: str
    machine: str
    seconds: float

    @property
    def name(self) -> str:
        """Return its name, also of its file."""
        return f"{self.game}-{self.seats}-{self.bot}"

    @property
    def expected(self) -> float:
        """Return the number of undivided wins of each team if all had as many."""
        return sum(self.wins) / len(self.wins)

    @property
    def square(self) -> float:
        """Return the chi-square of the wins."""
        return sum((won - self.expected) ** 2 for won in self.wins) / self.expected if self.expected else 0.0

    @property
    def chance(self) -> float:
        """Return the probability that wins are at least as uneven, if all seats have the same chance to win."""
        return tail(self.square, len(self.wins) - 1)


def tail(square: float, freedom: int) -> float:
    """Return the probability that a chi-square with these degrees of freedom is at least this large."""
    half, odd = square / 2, freedom % 2 / 2
    steps = (math.pow(half, k + odd) / math.gamma(k + odd + 1) for k in range(freedom // 2))
    return (math.erfc(math.sqrt(half)) if odd else 0.0) + math.exp(-half) * sum(steps)


def measured(game: Game, seats: int, bot: str, games: int, seconds: float) -> Evenness:
    """Play games of one bot against itself, with a deal for each, until a number of games or a CPU time is reached."""
    plan = SimulationPlan(
        game,
        (level_of(game, bot, seats),) * seats,
        game.options_type(),
        f"seats/{game.slug}/{seats}",
        games,
        rotate=False,
    )
    tally, simulation, began = plan.tally(), SimulationWork(plan), time.process_time()
    for number in range(games):
        tally.played(simulation.play(number))
        if seconds and time.process_time() - began > seconds:
            break
    return counted(game, tally, bot, time.process_time() - began)


def counted(game: Game, tally: Tally, bot: str, seconds: float) -> Evenness:
    """Return a tally as wins of teams."""
    seats = len(tally.bots)
    teams = game.teams(seats)
    wins = [tally.seat(team[0]).wins for team in teams]
    return Evenness(
        game=game.slug,
        ruleset=game.ruleset,
        seats=seats,
        bot=bot,
        games=tally.games,
        teams=teams,
        wins=wins,
        shared=tally.games - sum(wins),
        date=time.strftime("%Y-%m-%d", time.gmtime()),
        machine=processor(),
        seconds=round(seconds, 1),
    )


def document(kept: Sequence[Evenness]) -> str:
    """Return the page."""
    head = ("game", "seats", "bot", "games", "undivided wins by seat", "shared", "chi-square", "p", "even", "date")
    return Template(TEMPLATE.read_text()).substitute(
        doubt=f"{ERROR_RATE:.0%}",
        rows=table(head, [cells(found, ERROR_RATE / len(kept)) for found in kept]),
        machines=", ".join(sorted({found.machine for found in kept})),
        seconds=f"{sum(found.seconds for found in kept):,.0f}",
    )


def cells(found: Evenness, bound: float) -> tuple[str, ...]:
    """Return a row of the page."""
    wins = ", ".join(
        f"{'+'.join(map(str, team))}: {won} ({won / max(1, sum(found.wins)):.1%})"
        for team, won in zip(found.teams, found.wins, strict=True)
    )
    told = (f"{found.square:.2f}", f"{found.chance:.3f}", "yes" if found.chance >= bound else "NO")
    return found.game, str(found.seats), found.bot, f"{found.games:,}", wins, str(found.shared), *told, found.date


def everything() -> list[Evenness]:
    """Return all stored results, in the order of the page."""
    found = [msgspec.json.decode(path.read_bytes(), type=Evenness) for path in RESULTS.glob("*.json")]
    return sorted(found, key=lambda one: (one.game, one.seats, list(LEVELS).index(one.bot)))


def write() -> Path:
    """Write the page from all stored results, and return it."""
    PAGE.write_text(document(everything()))
    return PAGE


@click.command("seats")
@click.option(
    "--game",
    "slugs",
    type=click.Choice(list(registered())),
    multiple=True,
    help="A game, by default all; repeat it for several.",
)
@click.option("--bot", "bots", type=click.Choice(list(LEVELS)), multiple=True, default=("random",), show_default=True)
@click.option("--games", type=click.IntRange(1), default=3_000, show_default=True, help="games of each row")
@click.option("--seconds", type=float, default=0.0, help="maximum CPU time of each row; 0 for no limit")
@click.option("--page/--no-page", "told", default=True, help="write docs/benchmarks/seats.md")
def command(slugs: tuple[str, ...], bots: tuple[str, ...], games: int, seconds: float, *, told: bool) -> None:
    """Let every bot play against itself at every number of seats, and test whether all seats win as often."""
    insist_on_speed()
    RESULTS.mkdir(parents=True, exist_ok=True)
    for slug in slugs or registered():
        game = registered()[slug]
        for seats, bot in ((seats, bot) for seats in game.seat_numbers for bot in bots):
            found = measured(game, seats, bot, games, seconds)
            text = msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n"
            (RESULTS / f"{found.name}.json").write_bytes(text)
            click.echo("  ".join(cells(found, ERROR_RATE)))
    if told:
        click.echo(f"written: {write()}")
