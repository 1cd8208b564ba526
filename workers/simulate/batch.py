"""A simulation: game k depends on the seed and k alone, so chunks and workers change nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from games.core.bits import first
from games.core.game import Game, Options
from workers.advise import Partial, Tick, choose_at, seed_of
from workers.levels import Level
from workers.search.worlds import world_dice
from workers.simulate.tally import Tally


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be simulated.

    `bots` are the levels in the order of the seats. With `rotate`, game k seats them k places further, and a whole
    turn of seats begins with the same deal, so that the luck of the deal falls to every bot alike.
    `games` is the number of games, or the most of them where `half_width` is above 0: then whole turns of seats are
    played until the interval of every bot's win rate is that narrow.
    """

    game: Game
    bots: tuple[Level, ...]
    options: Options
    seed: str
    games: int
    rotate: bool = True
    half_width: float = 0.0


class Simulation:
    """A plan in work: games are played one after the other, from any number on."""

    def __init__(self, plan: Plan, begin: int = 0, tick: Tick | None = None) -> None:
        """Take a plan, the number of the first game, and whom to tell between moves how far the work is."""
        self.plan = plan
        self.tally = Tally(len(plan.bots))
        self._next = begin
        self._tick = tick

    def run(self, games: int) -> bool:
        """Play so many games more, and tell whether any is left."""
        for _ in range(games):
            if self.finished():
                return False
            self._play(self._next)
            self._next += 1
        return not self.finished()

    def finished(self) -> bool:
        """Tell whether all games are played, or, after a whole turn of seats, the intervals are narrow enough."""
        if self._next >= self.plan.games:
            return True
        whole = self._next % len(self.plan.bots) == 0 and self.tally.games > 0
        return self.plan.half_width > 0 and whole and self.tally.half_width() <= self.plan.half_width

    def told(self) -> dict[str, Any]:
        """Return the result so far."""
        return self.tally.told([level.name for level in self.plan.bots])

    def _play(self, number: int) -> None:
        """Play and count one game."""
        plan = self.plan
        seats = len(plan.bots)
        turn, shift = divmod(number, seats) if plan.rotate else (number, 0)
        bots = [(seat - shift) % seats for seat in range(seats)]
        chance = world_dice(seed_of("simulation", plan.seed, "game", turn), 0)
        choices = seed_of("simulation", plan.seed, "choices", number)
        table = plan.game.new(seats, plan.options, chance)
        while actors := table.actors():
            seat = first(actors)
            level = plan.bots[bots[seat]]
            code = choose_at(plan.game, table, seat, level, seed_of(choices, table.ply, seat), self._look_up)
            table.apply(seat, code, chance, None)
            self._look_up(0, 0, self.told)
        self.tally.add(bots, [float(reward) for reward in table.rewards()], table.ply)

    def _look_up(self, done: int, total: int, partial: Partial) -> None:
        """Say how many games are played; what the search of one move says is of no interest."""
        if self._tick is not None:
            self._tick(self.tally.games, self.plan.games, self.told)


def simulate(plan: Plan, tick: Tick | None = None) -> dict[str, Any]:
    """Play all games of a plan and return the counts."""
    simulation = Simulation(plan, tick=tick)
    while simulation.run(1):
        pass
    return simulation.told()
