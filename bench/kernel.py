"""One measurement of the kernel that is on the path: `python -m bench.kernel play|calls`; prints one line of JSON."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import click
import msgspec

from bench.arena import position, textbook
from games.core.bits import first
from games.core.dice import FastDice
from games.core.game import Game
from games.core.kernel import kernel as kernel_here
from games.core.playout import playout
from games.core.registry import registered
from games.core.table import Table
from games.search.tree import TreeSearch

ENDLESS: Final = 1 << 60
BATCH: Final = 10
POSITIONS: Final = 64
SEARCHES: Final = 8
ITERATIONS: Final = 2_000
"""Iterations of one search."""


@click.command()
@click.argument("what", type=click.Choice(["play", "calls", "search"]))
@click.option("--kernel", type=click.Choice(["compiled", "plain"]), required=True, help="the required kind")
@click.option("--game", required=True)
@click.option("--seats", type=int, required=True)
@click.option("--seconds", type=float, required=True, help="CPU time of each measurement")
def main(what: str, kernel: str, game: str, seats: int, seconds: float) -> None:
    """Measure random play of whole games, the cost of single calls, or searches."""
    if kernel_here() != kernel:
        raise click.ClickException(f"the {kernel_here()} kernel is on the path, not the {kernel} one")
    measurements = {"play": play, "calls": calls, "search": search}
    click.echo(json.dumps(measurements[what](registered()[game], seats, seconds)))


def play(game: Game, seats: int, seconds: float) -> dict[str, float]:
    """Play whole games at random, their set-up included."""
    options = game.options_type()
    games = moves = 0
    used = 0.0
    began = time.process_time()
    while used < seconds or games == 0:
        for seed in range(games, games + BATCH):
            dice = FastDice(seed)
            moves += playout(game.new(seats, options, dice), dice, ENDLESS)
        games += BATCH
        used = time.process_time() - began
    return {"moves_per_second": moves / used, "games_per_second": games / used, "moves_per_game": moves / games}


def search(game: Game, seats: int, seconds: float) -> dict[str, float]:
    """Return the iterations a second of our search, and of the textbook's, over positions of games."""
    places = [position(game, seats, number) for number in range(SEARCHES)]
    return {
        "iterations_per_second": pace(
            lambda table, seat: TreeSearch(table, seat, game.worths["tuned"], 1), places, seconds
        ),
        "textbook_iterations_per_second": pace(partial(textbook, game), places, seconds),
    }


def pace(begin: Callable[[Table, int], TreeSearch], places: Sequence[tuple[Table, int]], seconds: float) -> float:
    """Return the iterations a second of searches that begin at one place after the other."""
    iterations = 0
    used = 0.0
    while used < seconds or iterations == 0:
        for table, seat in places:
            began = time.process_time()
            begin(table, seat).run(ITERATIONS)
            used += time.process_time() - began
            iterations += ITERATIONS
    return iterations / used


def calls(game: Game, seats: int, seconds: float) -> dict[str, float]:
    """Return the costs of single calls in microseconds, from interpreted code, over positions of random games.

    `loop_us` is the loop around them with the cheapest call there is; all other figures include it.
    """
    tables = positions(game, seats)
    dice = FastDice(1)
    written = [msgspec.json.encode(game.write(table)) for table in tables]
    measured: dict[str, list[Callable[[], object]]] = {
        "loop_us": [table.actors for table in tables],
        "clone_us": [table.clone for table in tables],
        "legal_us": [partial(table.legal, first(table.actors())) for table in tables],
        "redeal_us": [partial(table.clone().redeal, first(table.actors()), dice) for table in tables],
        "write_us": [partial(write, game, table) for table in tables],
        "read_us": [partial(read, game, text) for text in written],
    }
    return {name: cost(work, seconds) for name, work in measured.items()}


def positions(game: Game, seats: int) -> list[Table]:
    """Return tables from as many random games, spread evenly from a game's beginning to its end."""
    found = []
    for number in range(POSITIONS):
        dice = FastDice(number)
        length = playout(game.new(seats, game.options_type(), dice), dice, ENDLESS)
        dice = FastDice(number)
        table = game.new(seats, game.options_type(), dice)
        playout(table, dice, length * number // POSITIONS)
        found.append(table)
    return found


def write(game: Game, table: Table) -> bytes:
    """Write a table down as JSON."""
    return msgspec.json.encode(game.write(table))


def read(game: Game, text: bytes) -> Table:
    """Read a table back from JSON, with all its checks."""
    return game.read(msgspec.json.decode(text, type=game.record_type))


def cost(work: Sequence[Callable[[], object]], seconds: float) -> float:
    """Return the CPU time of one call in microseconds."""
    rounds = 0
    used = 0.0
    began = time.process_time()
    while used < seconds or rounds == 0:
        for call in work:
            call()
        rounds += 1
        used = time.process_time() - began
    return used / (rounds * len(work)) * 1e6


if __name__ == "__main__":
    main()
