"""Terminal commands: `python -m workers simulate` and `tournament`, both with `--help`."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from typing import Any

import click

from games.core.game import LEARNED, Game
from games.core.levels import LEVELS, Level, level_of
from games.core.registry import registered
from games.search.advise import Partial
from service.jobs.rounds import MAX_ENTRANTS, games_a_round
from workers.simulate.batch import Schedule, SimulationPlan
from workers.simulate.here import simulate
from workers.simulate.tournament import TournamentPlan


@click.group()
def main() -> None:
    """Run games at the terminal, without a service."""


@main.command("simulate")
@click.option("--game", "slug", required=True, help="The game, such as hoher-rat.")
@click.option("--seats", "line_up", required=True, help="One bot per seat: a level, or search:<iterations>[:<worth>].")
@click.option("--games", "number", default=100, show_default=True, help="Number of games, or their maximum.")
@click.option("--seed", default="0", show_default=True, help="The same seed plays the same games.")
@click.option("--half-width", default=0.0, help="Stop once every interval is at most this wide to each side.")
@click.option("--rotate/--no-rotate", default=True, show_default=True, help="Whether the bots change seats.")
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="Number of processes.")
@click.option("--json", "as_json", is_flag=True, help="Print the whole result as JSON.")
def simulate_command(  # noqa: PLR0913 -- one for each option
    slug: str, line_up: str, number: int, seed: str, half_width: float, workers: int, *, rotate: bool, as_json: bool
) -> None:
    """Play games between bots and print their win rates with 95 % intervals."""
    game = game_called(slug)
    names = line_up.split(",")
    bots = tuple(bot(game, text, len(names), "--seats") for text in names)
    if len(bots) not in game.seat_numbers:
        raise click.BadParameter(f"one bot for each of {game.seat_numbers} seats", param_hint="--seats")
    check_worths(game, bots, "--seats")
    plan = SimulationPlan(game, bots, game.options_type(**game.simulated), seed, number, rotate, half_width)
    play_games(plan, workers, None if as_json else table)


@main.command("tournament")
@click.option("--game", "slug", required=True, help="The game, such as hoher-rat.")
@click.option("--entrants", required=True, help="Bots, each a level or search:<iterations>[:<worth>].")
@click.option("--seats", type=int, required=True, help="Number of seats at the tables.")
@click.option(
    "--games", "number", default=400, show_default=True, help="Maximum number of games; only whole rounds are played."
)
@click.option("--seed", default="0", show_default=True, help="The same seed plays the same games.")
@click.option("--half-width", default=0.0, help="Stop once every rating's interval has this half-width in points.")
@click.option("--anchor", help="The entrant with rating 0; by default the mean has it.")
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="Number of processes.")
@click.option("--json", "as_json", is_flag=True, help="Print the whole result as JSON.")
def tournament_command(  # noqa: PLR0913 -- one for each option
    slug: str,
    entrants: str,
    seats: int,
    number: int,
    seed: str,
    *,
    half_width: float,
    anchor: str | None,
    workers: int,
    as_json: bool,
) -> None:
    """Play a tournament of bots and print their ratings with 95 % intervals."""
    game, names = game_called(slug), tuple(entrants.split(","))
    bots = tuple(bot(game, text, seats, "--entrants") for text in names)
    check_worths(game, bots, "--entrants")
    if not 1 < len(names) <= MAX_ENTRANTS:
        raise click.BadParameter("two to eight bots", param_hint="--entrants")
    if len(set(names)) < len(names):
        raise click.BadParameter("two are called alike", param_hint="--entrants")
    if seats not in game.seat_numbers:
        raise click.BadParameter(f"one of {game.seat_numbers}", param_hint="--seats")
    if anchor is not None and anchor not in names:
        raise click.BadParameter(f"one of {', '.join(names)}", param_hint="--anchor")
    a_round = games_a_round(len(names), len(game.teams(seats)))
    if number < a_round:
        raise click.BadParameter(f"a round has {a_round} games", param_hint="--games")
    zero = None if anchor is None else names.index(anchor)
    options = game.options_type(**game.simulated)
    plan = TournamentPlan(game, seats, names, bots, options, seed, number // a_round, zero, half_width)
    play_games(plan, workers, None if as_json else ranking)


def game_called(slug: str) -> Game:
    """Return the game with this name. Raise BadParameter if there is no such game."""
    games = registered()
    if slug not in games:
        raise click.BadParameter(f"one of {', '.join(games)}", param_hint="--game")
    return games[slug]


def check_worths(game: Game, bots: Sequence[Level], hint: str) -> None:
    """Raise BadParameter if a bot uses an evaluation that the game does not have."""
    if unknown := {level.worth for level in bots} - {*game.worths, LEARNED}:
        raise click.BadParameter(f"no evaluation {', '.join(sorted(unknown))}", param_hint=hint)


def play_games(plan: Schedule, workers: int, render: Callable[[dict[str, Any]], str] | None) -> None:
    """Play all games of a plan, show a progress bar, and print the result.

    `render` formats the result as text. If `render` is None, print the result as JSON.
    """
    began = time.monotonic()
    with click.progressbar(length=plan.games, label=plan.game.slug) as bar:

        def tick(done: int, _total: int, _partial: Partial) -> None:
            bar.update(done - bar.pos)

        result = simulate(plan, tick, workers)
        bar.update(plan.games - bar.pos)
    click.echo(render(result) if render else json.dumps(result, indent=2))
    click.echo(f"{time.monotonic() - began:.1f} s", err=True)


def bot(game: Game, text: str, seats: int, hint: str) -> Level:
    """Return the bot that `text` describes: the name of a level, or `search:<iterations>[:<worth>]`.

    `<worth>` is the name of an evaluation. `seats` is the number of seats, on which some levels depend. Raise
    BadParameter if `text` is invalid.
    """
    if text in LEVELS:
        return level_of(game, text, seats)
    kind, _, rest = text.partition(":")
    iterations, _, worth = rest.partition(":")
    if kind != "search" or not iterations.isdigit() or int(iterations) == 0:
        raise click.BadParameter(f"{text!r} is none of {', '.join(LEVELS)}, search:2000", param_hint=hint)
    return Level(text, worth or "tuned", worlds=0, iterations=int(iterations), delay_ms=0)


def table(result: dict[str, Any]) -> str:
    """Format a simulation's result as text."""
    rows = [f"{result['games']} games, {result['plies']['mean']:.0f} moves each on average"]
    rows += [row(entry["bot"], entry) for entry in result["bots"]]
    rows += [row(f"seat {entry['seat']}", entry) for entry in result["by_seat"]]
    return "\n".join(rows)


def ranking(result: dict[str, Any]) -> str:
    """Format a tournament's result as text. The best entrant is the first."""
    entrants = sorted(result["entrants"], key=lambda entrant: entrant["place"])
    rows = [f"{result['games']} games in {result['rounds']} rounds; zero is {', '.join(result['zero'])}"]
    return "\n".join(rows + [place(entrant) for entrant in entrants])


def place(entrant: dict[str, Any]) -> str:
    """Format one line of a ranking."""
    low, high = ("open" if end is None else f"{end:+.0f}" for end in entrant["rating"]["interval"])
    name = f"{entrant['place']}. {entrant['name']}"
    return f"{name:<20} {entrant['rating']['elo']:+6.0f} ({low} to {high}), score {entrant['score']:.4f}"


def row(name: str, count: dict[str, Any]) -> str:
    """Format one line of a simulation's result."""
    low, high = count["interval"]
    return f"{name:<16} won {count['win_rate']:7.2%} ({low:.2%} to {high:.2%}), score {count['score']:.4f}"


if __name__ == "__main__":
    main()
