"""The commands of a person at a terminal: `python -m workers simulate --help`."""

from __future__ import annotations

import json
import time
from typing import Any

import click

from games.core.registry import registered
from workers.advise import Partial
from workers.levels import LEVELS, Level
from workers.simulate.batch import Plan
from workers.simulate.here import simulate


@click.group()
def main() -> None:
    """Run games at the terminal, without a service."""


@main.command("simulate")
@click.option("--game", "slug", required=True, help="The game, such as hoher-rat.")
@click.option("--seats", "line_up", required=True, help="One bot per seat: a level, or search:<iterations>[:<worth>].")
@click.option("--games", "number", default=100, show_default=True, help="How many games, or at most.")
@click.option("--seed", default="0", show_default=True, help="The same seed plays the same games.")
@click.option("--half-width", default=0.0, help="Stop once every interval is at most this wide to each side.")
@click.option("--rotate/--no-rotate", default=True, show_default=True, help="Whether the bots change seats.")
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="How many processes play.")
@click.option("--json", "as_json", is_flag=True, help="Print the whole result as JSON.")
def simulate_command(  # noqa: PLR0913 -- one for each option
    slug: str, line_up: str, number: int, seed: str, half_width: float, workers: int, *, rotate: bool, as_json: bool
) -> None:
    """Play games between bots and print who wins how often, with 95 % intervals."""
    games = registered()
    if slug not in games:
        raise click.BadParameter(f"one of {', '.join(games)}", param_hint="--game")
    bots = tuple(bot(text) for text in line_up.split(","))
    game = games[slug]
    if len(bots) not in game.seat_numbers:
        raise click.BadParameter(f"one bot for each of {game.seat_numbers} seats", param_hint="--seats")
    if unknown := {level.worth for level in bots} - set(game.worths):
        raise click.BadParameter(f"no evaluation {', '.join(sorted(unknown))}", param_hint="--seats")
    began = time.monotonic()
    with click.progressbar(length=number, label=slug) as bar:

        def tick(done: int, _total: int, _partial: Partial) -> None:
            bar.update(done - bar.pos)

        plan = Plan(game, bots, game.options_type(), seed, number, rotate, half_width)
        result = simulate(plan, tick, workers)
        bar.update(number - bar.pos)
    click.echo(json.dumps(result, indent=2) if as_json else table(result))
    click.echo(f"{time.monotonic() - began:.1f} s", err=True)


def bot(text: str) -> Level:
    """Return the level that a name or search:<iterations>[:<worth>] stands for."""
    if text in LEVELS:
        return LEVELS[text]
    kind, _, rest = text.partition(":")
    iterations, _, worth = rest.partition(":")
    if kind != "search" or not iterations.isdigit() or int(iterations) == 0:
        raise click.BadParameter(f"{text!r} is none of {', '.join(LEVELS)}, search:2000", param_hint="--seats")
    return Level(text, worth or "tuned", worlds=0, iterations=int(iterations), delay_ms=0)


def table(result: dict[str, Any]) -> str:
    """Return the result for a person to read."""
    rows = [f"{result['games']} games, {result['plies']['mean']:.0f} moves each on average"]
    rows += [row(entry["bot"], entry) for entry in result["bots"]]
    rows += [row(f"seat {entry['seat']}", entry) for entry in result["seats"]]
    return "\n".join(rows)


def row(name: str, count: dict[str, Any]) -> str:
    """Return one line of a result."""
    low, high = count["interval"]
    return f"{name:<16} won {count['win_rate']:7.2%} ({low:.2%} to {high:.2%}), score {count['score']:.4f}"


if __name__ == "__main__":
    main()
