"""Figures of whole games among tuned members: `python -m tests.games.gartenzwerge.figures --seats 3 --games 10000`.

It prints one row of the table in `docs/games/gartenzwerge.md`. Game k of a number of seats depends on k alone.
"""

from collections import Counter
from statistics import median

import click

from games.core.bits import first, members_of
from games.core.dice import FastDice
from games.gartenzwerge.game import Gartenzwerge
from games.gartenzwerge.table.club import Club
from games.gartenzwerge.view import ENDINGS
from games.search.advise import seed_of
from games.search.pick import greedy_move

GAME = Gartenzwerge()
WORLDS = 4


def play_game(seats: int, number: int) -> Club:
    dice = FastDice(seed_of("figures", seats, number, "chance"))
    table = GAME.new(seats, GAME.options_type(), dice)
    while table.actors():
        seat = first(table.actors())
        seed = seed_of("figures", seats, number, int(table.ply))
        table.apply(seat, greedy_move(table, seat, GAME.worths["tuned"], WORLDS, seed), dice, None)
    return table


@click.command()
@click.option("--seats", default=3, show_default=True)
@click.option("--games", default=100, show_default=True)
def main(seats: int, games: int) -> None:
    rounds, moves, endings, wins = [], [], Counter[str | None](), [0.0] * seats
    for number in range(games):
        table = play_game(seats, number)
        rounds.append(int(table.round))
        moves.append(int(table.ply))
        endings[ENDINGS[table.ending]] += 1
        winners = [int(seat) for seat in members_of(table.winners)]
        for seat in winners:
            wins[seat] += 1 / len(winners)
    shares = [f"{endings[ending] / games:.1%}" for ending in ("gold", "cash", "last", "ruin", "cap")]
    by_seat = " ".join(f"{won / games:.1%}" for won in wins)
    row = [str(seats), str(games), f"{median(rounds):.0f} ({max(rounds)})", f"{median(moves):.0f}", *shares, by_seat]
    click.echo(f"| {' | '.join(row)} |")


if __name__ == "__main__":
    main()
