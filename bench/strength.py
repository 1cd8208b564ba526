"""The commands about strength: tuning an evaluation, the ladder, matches, and whether intervals hold."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator

import click

from bench import beliefs as believing
from bench import coverage as covering
from bench import ladder as rating
from bench import learn as learning
from bench import levels as choosing
from bench import matches as matching
from bench import page
from bench import tune as tuning
from games.core.kernel import kernel
from games.core.levels import LADDER
from games.core.registry import registered

game_option = click.option(
    "--game", "slug", type=click.Choice(list(registered())), default="hoher-rat", show_default=True
)


@click.command()
@game_option
@click.option("--target", default="tuned", show_default=True, help="the set of weights to tune")
@click.option(
    "--iterations", default=0, help="tune the search with this number of iterations instead of one look ahead"
)
@click.option("--units", default=40, show_default=True, help="deals for each candidate and number of seats")
@click.option("--generations", default=60, show_default=True, help="maximum number of generations")
@click.option("--minutes", default=20.0, show_default=True, help="maximum time")
@click.option("--seed", default=1, show_default=True)
def tune(slug: str, target: str, iterations: int, units: int, generations: int, minutes: float, seed: int) -> None:
    """Tune a game's evaluation by CMA-ES against its present one and `greedy`, and keep what beats it.

    A tuning that was interrupted goes on where it ended. The result is written into the game's weights only if it wins
    more than the present weights in the same fresh deals for certain.
    """
    game = registered()[slug]
    work = tuning.Tuning(tuning.Task(game, target, iterations, units, seed), tuning.RESULTS / f"{slug}-{target}.jsonl")
    for scores in work.run(generations, minutes):
        click.echo(tuning.tell(work.generation, scores))
    values = work.found()
    click.echo("".join(f"  {name:<16}{value:>10}\n" for name, value in values.items()), nl=False)
    gain, low, high = work.task.final(values)
    click.echo(f"in fresh deals, more than the present weights: {gain:+.1%} ({low:+.1%} to {high:+.1%})")
    if low > 0:
        click.echo(f"written: {tuning.write(game, target, values)}")
    else:
        click.echo("not better for certain; nothing is written")


@click.command()
@game_option
@click.option(
    "--seats", "seats", multiple=True, required=True, help="a number of seats, with games of a generation: 3:4000"
)
@click.option("--generations", default=3, show_default=True, help="the first plays with `tuned`, others with their net")
@click.option("--seed", default=1, show_default=True)
@click.option("--match", "deals", default=200, show_default=True, help="deals of the match one ply ahead with `tuned`")
@click.option("--write/--no-write", default=True, help="write the game's net if it wins all matches")
def learn(slug: str, seats: tuple[str, ...], generations: int, seed: int, deals: int, *, write: bool) -> None:
    """Train a net that corrects a game's evaluation, and keep it if one ply ahead it beats `tuned` with all seats.

    Games are kept in build/learn, and an interrupted command continues.
    """
    insist_on_speed()
    game = registered()[slug]
    games = {int(number): int(count) for number, _, count in (one.partition(":") for one in seats)}
    work = learning.Learning(game, games, seed, [])
    while work.generation < generations:
        click.echo(f"generation {work.generation + 1}: " + "; ".join(work.step()))
    found = list(work.matches(deals))
    click.echo("\n".join(told for _, _, told in found))
    if write and all(low > even for low, even, _ in found):
        click.echo(f"written: {learning.write(game, work.carded())}")
    else:
        click.echo("nothing is written")


@click.command()
@game_option
@click.option("--iterations", default=10_000, show_default=True, help="iterations of the measured search")
@click.option("--units", default=200, show_default=True, help="deals of each match, each played from every side")
@click.option("--minutes", default=0.0, help="stop after this time; the next run continues")
@click.option(
    "--enough", default=0, help="end a match that has met its bar after this number of games; 0 plays all deals"
)
@click.option("--only", help="only matches with this part in their name")
@click.option("--steps/--all", default=False, help="only the steps of the yardsticks")
@click.option("--page/--no-page", "write", default=True, help="write docs/strength.md")
def matches(  # noqa: PLR0913 -- options
    slug: str, iterations: int, units: int, minutes: float, enough: int, only: str | None, *, steps: bool, write: bool
) -> None:
    """Play the matches of a game and write the page on strength."""
    insist_on_speed()
    game = registered()[slug]
    until = time_until(minutes)
    for planned in matching.plan(game, iterations):
        if (only and only not in planned.name) or (steps and not planned.is_step):
            continue
        match = matching.resume_match(planned, matching.RESULTS)
        if match.pilots_wanted:
            pilots = matching.piloted(game, match, matching.RESULTS)
            take(pilots, f"{match.name}, pilots", match.pilots_wanted, len(match.pilots), until)
        if not match.pilots_wanted:
            deals = matching.play_match(game, match, units, matching.RESULTS, enough)
            take(deals, match.name, units, len(match.units), until)
        if match.units:
            click.echo(page.row(match))
        if time.monotonic() > until:
            break
    if write:
        click.echo(f"written: {page.write()}")


@click.command()
@game_option
@click.option("--seats", "seats", multiple=True, type=int, help="a number of seats")
@click.option("--rounds", default=100, show_default=True, help="maximum number of rounds of each tournament")
@click.option("--minutes", default=0.0, help="stop after this time; the next run continues")
@click.option(
    "--enough",
    default=rating.STEP_GAMES,
    show_default=True,
    help="end a tournament once neighbours have met in this number of games and their intervals lie apart; 0 plays all",
)
@click.option("--page/--no-page", "write", default=True, help="write docs/strength.md")
def ladder(slug: str, seats: tuple[int, ...], rounds: int, minutes: float, enough: int, *, write: bool) -> None:
    """Rate the levels of a game by tournaments, one for each number of seats, and write the page on strength."""
    insist_on_speed()
    game = registered()[slug]
    until = time_until(minutes)
    for number in seats or game.seat_numbers:
        kept = rating.resume_ladder(game, number, rating.RESULTS)
        blocks = rating.play_ladder(game, kept, rounds, rating.RESULTS, enough)
        take(blocks, kept.name, rating.blocks_of(game, number, rounds), len(kept.blocks), until)
        if kept.blocks:
            click.echo(page.rated(kept))
        if time.monotonic() > until:
            break
    if write:
        click.echo(f"written: {page.write()}")


@click.command()
@click.option("--minutes", default=0.0, help="stop after this time; the next run continues")
@click.option("--page/--no-page", "write", default=True, help="write docs/strength.md")
def levels(minutes: float, *, write: bool) -> None:
    """Play each level among the level below it in every game and number of seats, and write the page on strength.

    One deal of each match gives an estimate of all times. Then matches are completed, the shortest first.
    """
    insist_on_speed()
    until = time_until(minutes)
    matches = choosing.resume_matches()
    choosing.begin(matches, until)
    begun = [match for match in matches if match.units]
    for match in sorted(begun, key=choosing.missing_seconds):
        games, seconds = choosing.wanted_games(match), choosing.missing_seconds(match)
        click.echo(f"{match.name}: {len(match.results)} of {games} games, {seconds:.0f} s to go")
    click.echo(f"CPU time to go: {sum(map(choosing.missing_seconds, begun)) / 60:.0f} min")
    for match in choosing.play_on(matches, until):
        click.echo(page.row(match))
    if write:
        click.echo(f"written: {page.write()}")


@click.command()
@game_option
@click.option("--positions", default=200, show_default=True)
@click.option("--iterations", default=500, show_default=True, help="iterations of the measured search")
@click.option("--times", default=100, show_default=True, help="factor of the reference search")
@click.option("--seats", "seats", multiple=True, type=int, help="a number of seats")
@click.option("--page/--no-page", "write", default=True, help="write docs/strength.md")
def coverage(slug: str, positions: int, iterations: int, times: int, seats: tuple[int, ...], *, write: bool) -> None:
    """Measure the share of a search's 95 % intervals that hold the result of a much longer search."""
    insist_on_speed()
    game = registered()[slug]
    for number in seats or game.seat_numbers:
        found = covering.Coverage(
            game=slug, seats=number, iterations=iterations, times=times, reckoned=covering.reckoned()
        )
        with click.progressbar(range(positions), label=f"{number} seats") as bar:
            for place in bar:
                found.look(game, place)
        covering.keep(found)
        click.echo(page.covered(found))
    if write:
        click.echo(f"written: {page.write()}")


@click.command()
@click.option("--seats", "seats", type=click.Choice(["3", "4"]), multiple=True, default=("3", "4"), show_default=True)
@click.option("--level", "levels", type=click.Choice(LADDER[1:]), multiple=True, default=("hard", "expert"))
@click.option("--games", default=1_500, show_default=True, help="games of each level with itself")
@click.option("--from", "first", default=0, show_default=True, help="the number of the first game")
@click.option("--page/--no-page", "write", default=True, help="write docs/strength.md")
def beliefs(seats: tuple[str, ...], levels: tuple[str, ...], games: int, first: int, *, write: bool) -> None:
    """Measure the frequency of the truth of the Barbarossa adviser's beliefs, by their stated probability."""
    insist_on_speed()
    for number, level in ((int(number), level) for number in seats for level in levels):
        found = believing.new_beliefs(number, level)
        with click.progressbar(range(first, first + games), label=found.name) as deals:
            for deal in deals:
                found.look(deal)
        click.echo(page.believed([found]), nl=False)
        if write:
            believing.keep(found)
    if write:
        click.echo(f"written: {page.write()}")


def time_until(minutes: float) -> float:
    """Return the end of a number of minutes on the clock `time.monotonic`; without any, never."""
    return time.monotonic() + 60 * minutes if minutes else math.inf


def take(steps: Iterator[object], label: str, length: int, done: int, until: float) -> None:
    """Take steps until there are no more or their time is over, and show how many are done."""
    with click.progressbar(length=length, label=label, width=24) as bar:
        bar.update(done)
        while time.monotonic() <= until and next(steps, None) is not None:
            bar.update(1)


def insist_on_speed() -> None:
    """Refuse the plain kernel, on which a match takes days."""
    if kernel() != "compiled":
        raise click.ClickException("needs the compiled kernel: start it with python3 dev.py bench")
