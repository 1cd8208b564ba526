"""Turns a second of our environments for learners, beside PettingZoo's own texas_holdem: `bench learners`."""

from __future__ import annotations

import os
import sysconfig
import time
from pathlib import Path
from typing import Final

import click

from bench import machine, parts
from bench.environment import Missing, provide
from bench.rounds import Figures, Probe, measure, pin
from games.core.registry import registered
from tools.build import NotBuiltError, build

PAGE: Final = parts.ROOT / "docs" / "benchmarks" / "learners.md"
YARDSTICK: Final = "texas_holdem_v4"
FIGURES: Final = ("turns_per_second", "loop_per_second", "seeded_moves_per_second")
"""Figures of each; a figure is compared with the yardstick's, the loop's with the yardstick's turns."""


VECTOR: Final = "vector_steps_per_second"
"""Figure of a vector of our tables; it is compared with the yardstick's seeded moves and with its turns."""

HEAD: Final = (
    "| environment, seats | turns a second | times texas_holdem | the loop alone | times texas_holdem "
    "| seeded moves a second | times texas_holdem |"
)
VECTOR_HEAD: Final = (
    "| vector, seats | steps a second | times texas_holdem's seeded moves | times texas_holdem's turns |"
)


def probes(python: Path, compiled: Path, seconds: float) -> list[Probe]:
    """Return the yardstick and every game with every number of seats, each to be run by itself."""
    clients = parts.ROOT / "clients"
    path = [str(clients / "pettingzoo"), str(compiled), str(clients / "games"), sysconfig.get_path("purelib")]
    script = str(parts.HERE / "peers" / "pettingzoo_benchmark.py")
    ours = [(f"{slug} {seats}", slug, seats) for slug, game in registered().items() for seats in game.seat_numbers]
    return [
        Probe(name, [str(python), script, game, str(seats), str(seconds)], {"PYTHONPATH": os.pathsep.join(path)})
        for name, game, seats in [(YARDSTICK, YARDSTICK, 0), *ours]
    ]


def document(figures: Figures, rounds: int, seconds: float) -> str:
    """Return the page."""
    rows = []
    for name in figures.values:
        cells = [name]
        for figure in FIGURES:
            beside = FIGURES[0] if figure == "loop_per_second" else figure
            rate, yardstick = figures.median(name, figure), figures.median(YARDSTICK, beside)
            cells += [f"{rate:,.0f}", f"{rate / yardstick:.1f}"]
        rows.append(f"| {' | '.join(cells)} |")
    about = [f"* {name}: {value}" for name, value in machine.running(machine.facts())]
    return "\n".join(
        [
            "# Environments for learners",
            "",
            "Written by `python3 dev.py bench learners`. The environments run in turn on one core.",
            "A second in the tables is a second of CPU time. Each rate is the median of",
            f"{rounds} rounds of {seconds:g} s on {time.strftime('%Y-%m-%d', time.gmtime())}.",
            "",
            "## Many tables at once",
            "",
            "A `Vector` of 256 tables plays with random actions. A step is the work for one action at one table. It",
            "chooses a legal action, takes the action, and writes the next observation, mask and rewards.",
            "`texas_holdem_v4` is an environment of PettingZoo. A seeded move is a move in the loop of PettingZoo's",
            "documentation, which starts each game from a seed. Our goal was 100 steps in the time of one seeded",
            "move of `texas_holdem_v4`.",
            "",
            VECTOR_HEAD,
            "|---|---:|---:|---:|",
            *vector_rows(figures),
            "",
            "## One table",
            "",
            "A turn has three parts. The environment returns an observation with a mask, which marks the legal",
            "actions. The loop chooses a legal action at random. Then the environment makes a step with this action.",
            "",
            "The first loop is the loop of PettingZoo's `performance_benchmark`. It uses no seeds. NumPy finds the",
            "legal actions in the mask, and Python chooses one of them at random. The second loop is the loop of",
            "PettingZoo's documentation. It starts each game from a seed, and the action space chooses an action",
            "under the mask. The times of both loops include the choice.",
            "",
            'The column "turns a second" is from the first loop. The column "seeded moves a second" is from the',
            "second loop. Our goal was 20 times the turns a second of `texas_holdem_v4`.",
            "",
            "**The loop alone** is the first loop with an environment that does nothing. It always returns the same",
            "observation, which has the size of a real one. No environment can be faster in this loop.",
            "",
            HEAD,
            "|---|---:|---:|---:|---:|---:|---:|",
            *rows,
            "",
            *about,
            "",
        ]
    )


def vector_rows(figures: Figures) -> list[str]:
    """Return the rows of our vectors."""
    turns, _, moves = (figures.median(YARDSTICK, figure) for figure in FIGURES)
    rates = {name: figures.median(name, VECTOR) for name in figures.values if name != YARDSTICK}
    return [f"| {name} | {rate:,.0f} | {rate / moves:.0f} | {rate / turns:.0f} |" for name, rate in rates.items()]


@click.command("learners")
@click.option("--rounds", type=click.IntRange(1), default=3, show_default=True, help="number of rounds")
@click.option("--seconds", type=float, default=1.0, show_default=True, help="CPU time of one measurement")
@click.option("--write/--no-write", default=True, help="write docs/benchmarks/learners.md")
def command(rounds: int, seconds: float, *, write: bool) -> None:
    """Measure our PettingZoo environments beside PettingZoo's own texas_holdem."""
    pin()
    try:
        python, compiled = provide("pettingzoo"), build(parts.ROOT)
    except (Missing, NotBuiltError) as problem:
        raise click.ClickException(str(problem)) from None
    figures = measure(probes(python, compiled, seconds), rounds, lambda text: click.echo(f"bench: {text}", err=True))
    if YARDSTICK not in figures.values:
        raise click.ClickException(figures.failed[YARDSTICK])
    page = document(figures, rounds, seconds)
    click.echo(page)
    if write:
        PAGE.write_text(page)


if __name__ == "__main__":
    command()
