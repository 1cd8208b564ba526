"""The command `python3 dev.py dataset`."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Final

import click
import msgspec

from bench.datasets.card import METADATA_FILE, write_begun, write_complete
from bench.datasets.plan import DatasetPlan
from bench.datasets.recorder import OWN_SEARCH
from bench.datasets.shards import Goal, Summaries, positions_of, write_shards
from games.core.levels import LEVELS, level_of
from games.core.registry import ours, registered

MAX_GAMES: Final = 10**9


class Progress:
    """Prints a line after each shard: the finished part, the rate of this run, and the time that is left."""

    def __init__(self, goal: Goal) -> None:
        """Start the clock."""
        self._goal, self._began = goal, time.monotonic()
        self._old = 0
        self._old_games = 0

    def tell(self, found: list[Summaries], is_old: bool) -> None:  # noqa: FBT001 -- a callback
        """Print the state after a shard."""
        positions = positions_of(found)
        games = sum(len(summary.results) for shard in found for summary in shard.values())
        if is_old:
            self._old, self._old_games = positions, games
            return
        seconds = max(time.monotonic() - self._began, 1e-6)
        rate = (positions - self._old) / seconds
        done, wanted = (games, self._goal.games) if self._goal.games is not None else (positions, self._goal.positions)
        new = done - (self._old_games if self._goal.games is not None else self._old)
        left = max(0, (wanted or 0) - done) * seconds / max(new, 1)
        click.echo(
            f"{len(found)} shards, {games:,} games, {positions:,} positions; "
            f"{rate:,.0f} positions a second, {left / 60:.1f} minutes left",
            err=True,
        )


@click.command("dataset")
@click.option("--game", "slug", type=click.Choice(list(ours())), required=True, help="the game")
@click.option("--seats", type=int, help="number of seats; by default the minimum")
@click.option("--bots", default="medium", show_default=True, help="a level for all seats, or one for each: easy,hard")
@click.option("--games", type=click.IntRange(1), help="number of games")
@click.option("--positions", type=click.IntRange(1), help="minimum number of decisions among several moves")
@click.option("--seed", default="0", show_default=True, help="the same seed plays the same games")
@click.option(
    "--values", default="bot", show_default=True, help="bot: values of its own search; none; or iterations of another"
)
@click.option("--views/--no-views", default=True, show_default=True, help="write views as JSON beside observations")
@click.option("--shard-size", type=click.IntRange(1), default=50, show_default=True, help="games in a shard")
@click.option("--processes", type=click.IntRange(1), default=1, show_default=True, help="number of processes")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), required=True, help="the folder to write")
def main(  # noqa: PLR0913 -- options
    slug: str,
    seats: int | None,
    bots: str,
    games: int | None,
    positions: int | None,
    *,
    seed: str,
    values: str,
    shard_size: int,
    processes: int,
    out: Path,
    views: bool,
) -> None:
    """Write a dataset of games between bots: Parquet files in shards, a card, and metadata.

    A number of games or of positions is required. The same command writes the same bytes with any number of processes.
    A command that was interrupted goes on with the missing shards, and a larger number extends the dataset.
    """
    if (games is None) == (positions is None):
        raise click.UsageError("one of --games and --positions is required")
    game = registered()[slug]
    number = game.seat_numbers[0] if seats is None else seats
    if number not in game.seat_numbers:
        raise click.BadParameter(f"one of {game.seat_numbers}", param_hint="--seats")
    names = bots.split(",")
    names = names * number if len(names) == 1 else names
    if len(names) != number:
        raise click.BadParameter(f"one level, or one for each of {number} seats", param_hint="--bots")
    if unknown := set(names) - LEVELS.keys():
        raise click.BadParameter(f"{', '.join(sorted(unknown))} is none of {', '.join(LEVELS)}", param_hint="--bots")
    plan = DatasetPlan(
        game,
        tuple(level_of(game, name, number) for name in names),
        game.options_type(**game.simulated),
        seed,
        games or MAX_GAMES,
        search_iterations=iterations_of(values),
        views=views,
        shard_games=shard_size,
    )
    goal = Goal(games, positions)
    resume(plan, out, goal)
    write_begun(plan, out, goal)
    progress = Progress(goal)
    found = write_shards(plan, out, goal, processes, progress.tell)
    metadata = write_complete(plan, out, goal, found)
    click.echo(f"written: {out}, {metadata['games']:,} games, {metadata['positions']:,} positions")


def iterations_of(values: str) -> int:
    """Return the length of the search of a value of `--values`; raise BadParameter for another text."""
    if values == "bot":
        return OWN_SEARCH
    if values == "none":
        return 0
    if not values.isdecimal() or int(values) == 0:
        raise click.BadParameter("bot, none, or a number of iterations", param_hint="--values")
    return int(values)


def resume(plan: DatasetPlan, folder: Path, goal: Goal) -> None:
    """Create the folder, or check that its dataset has the same plan and no larger goal; otherwise raise UsageError."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / METADATA_FILE
    if not file.exists():
        if any(folder.iterdir()):
            raise click.UsageError(f"{folder} is not empty and has no {METADATA_FILE}")
        return
    kept = json.loads(file.read_text("utf-8"))
    described = plan.described()
    different = sorted(name for name in {*described, *kept["plan"]} if described.get(name) != kept["plan"].get(name))
    if different:
        raise click.UsageError(f"{folder} has a dataset with another {', '.join(different)}")
    if not goal.includes(msgspec.convert(kept["goal"], Goal)):
        raise click.UsageError(f"{folder} has a dataset with a larger goal or one of another kind: {kept['goal']}")


if __name__ == "__main__":
    main(prog_name="dev.py dataset")
