"""Plays many games between tuned players and says how they go: `python -m tests.games.wichtel.figures`."""

import argparse
from collections import Counter
from dataclasses import dataclass, field
from statistics import fmean, quantiles

from games.core.dice import FastDice
from games.core.levels import LEVELS
from games.search.pick import greedy_move
from games.wichtel import GAME
from games.wichtel.options import VillageOptions
from games.wichtel.table.titles import named_kinds, result_kinds
from games.wichtel.table.village import Village
from games.wichtel.view import TITLES
from tests.games.wichtel.positions import village

OPTIONS = VillageOptions(turn_cap=200)
"""Rounds are cut off where nobody ends them, as in simulations."""


@dataclass
class Figures:
    """Counts over games of one number of seats."""

    seats: int
    games: int = 0
    plies: list[int] = field(default_factory=list)
    rounds: list[int] = field(default_factory=list)
    turns: list[int] = field(default_factory=list)
    totals: list[int] = field(default_factory=list)
    titles: Counter[str] = field(default_factory=Counter)
    wins: Counter[int] = field(default_factory=Counter)
    retinues: int = 0
    cut_off: int = 0
    enders: Counter[str] = field(default_factory=Counter)
    paid: int = 0
    ender_results: list[int] = field(default_factory=list)
    other_results: list[int] = field(default_factory=list)

    def play(self, seed: int) -> None:
        dice = FastDice(seed)
        table = village(GAME.new(self.seats, OPTIONS, dice))
        while actors := GAME.actors(table):
            seat, turn, turns, number = actors[0], table.turn, table.turns, table.round
            code = greedy_move(table, seat, GAME.worths["tuned"], LEVELS["tuned"].worlds, seed * 50_000 + table.ply)
            table.apply(seat, code, dice, None)
            if table.round != number or not table.actors():
                self.score(table, turn)
                self.turns.append(int(turns) + 1)
        self.games += 1
        self.plies.append(int(table.ply))
        self.rounds.append(int(table.round))
        self.totals.append(max(int(table.seat(seat).points) for seat in range(self.seats)))
        for seat, reward in enumerate(table.rewards()):
            self.wins[seat] += reward  # type: ignore[assignment]  # a shared win is a part

    def score(self, table: Village, turn: int) -> None:
        lasts = [table.seat(seat).last for seat in range(self.seats)]
        results = [int(result_kinds(table.worths, last)) for last in lasts]
        self.retinues += self.seats
        self.titles.update(TITLES[title - 1] for last in lasts if (title := named_kinds(table.worths, last)))
        if table.ender == 0:
            self.cut_off += 1
            return
        ender = int(table.ender) - 1
        self.enders["own turn" if ender == turn else "foreign turn"] += 1
        self.paid += results[ender] == max(results)
        self.ender_results.append(results[ender])
        self.other_results += [result for seat, result in enumerate(results) if seat != ender]

    def report(self) -> str:
        ended = sum(self.enders.values())
        low, *_, high = quantiles(self.totals, n=20)
        titles = ", ".join(f"{name} {100 * n / self.retinues:.1f} %" for name, n in self.titles.most_common())
        rows = {
            "games": f"{self.games}",
            "moves a game, mean": f"{fmean(self.plies):.0f}",
            "rounds a game, mean": f"{fmean(self.rounds):.2f} ({min(self.rounds)} to {max(self.rounds)})",
            "turns a round, mean": f"{fmean(self.turns):.2f} (at most {max(self.turns)})",
            "winning total, mean": f"{fmean(self.totals):.1f} (5 % to 95 %: {low:.0f} to {high:.0f})",
            "retinues with a title": f"{100 * sum(self.titles.values()) / self.retinues:.1f} %: {titles}",
            "rounds ended by the player whose turn it was": f"{100 * self.enders['own turn'] / ended:.1f} %",
            "rounds ended by another player": f"{100 * self.enders['foreign turn'] / ended:.1f} %",
            "rounds cut off": f"{self.cut_off}",
            "who ended had the best result": f"{100 * self.paid / ended:.1f} %",
            "result of who ended, of the others": f"{fmean(self.ender_results):.1f}, {fmean(self.other_results):.1f}",
            "wins by seat": ", ".join(f"{100 * self.wins[seat] / self.games:.1f} %" for seat in range(self.seats)),
        }
        return "\n".join(f"| {name} | {value} |" for name, value in rows.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--seats", type=int, nargs="+", default=[3, 4, 5])
    arguments = parser.parse_args()
    for seats in arguments.seats:
        figures = Figures(seats)
        for seed in range(arguments.games):
            figures.play(seed)
        print(f"\n{seats} seats\n\n{figures.report()}", flush=True)  # noqa: T201 -- a command that tells


if __name__ == "__main__":
    main()
