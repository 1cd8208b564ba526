"""Tournaments. All entrants meet each other according to a schedule, and are rated at the end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self

import msgspec

from games.core.dice import CHOICE, FastDice
from games.core.game import Game, Options
from games.core.registry import registered
from games.search.advise import seed_of
from service.jobs.players import Player, player_of, remote_bots
from service.jobs.rounds import line_ups
from workers.simulate.standings import Standings

PAIR: Final = 2
"""Number of successive rounds that use the same random order of the entrants.

Each combination of entrants has its own order. The second round uses the order in reverse.
"""


@dataclass(frozen=True, slots=True)
class TournamentPlan:
    """The schedule of a tournament. `names` and `bots` have one entry for each entrant."""

    game: Game
    seats: int
    names: tuple[str, ...]
    bots: tuple[Player, ...]
    options: Options
    seed: str
    rounds: int  # maximum number of rounds
    anchor: int | None = None  # the entrant with rating zero; without it, see `Ratings`
    # If this is not 0, the tournament ends once the interval of each rating has at most this half-width.
    half_width: float = 0.0

    label: ClassVar[str] = "tournament"
    grouping: ClassVar[None] = None

    @classmethod
    def read(cls, payload: Mapping[str, Any]) -> Self:
        """Return the tournament that a job's payload contains."""
        game = registered()[payload["game"]]
        return cls(
            game,
            payload["seats"],
            tuple(payload["names"]),
            tuple(player_of(game, bot, payload["seats"]) for bot in payload["bots"]),
            msgspec.convert(payload["options"], game.options_type),
            payload["seed"],
            payload["rounds"],
            payload["anchor"],
            payload["half_width"],
        )

    @property
    def teams(self) -> list[list[int]]:
        """The seats of each side."""
        return self.game.teams(self.seats)

    @property
    def games(self) -> int:
        """The maximum number of games."""
        return self.rounds * len(self.teams) * len(self.line_ups)

    @property
    def line_ups(self) -> list[tuple[int, ...]]:
        """The combinations of entrants in a round.

        Each combination plays one block of games. All games of a block have the same deal. Each block has its own deal.
        """
        return line_ups(len(self.bots), len(self.teams))

    def seating(self, number: int) -> tuple[int, list[int]]:
        """Return the number of a game's block, and the entrant in each seat.

        All games of a block have the same deal.
        """
        teams = self.teams
        sides = len(teams)
        block, shift = divmod(number, sides)
        order = self._order(block)
        seats = [0] * self.seats
        for side, team in enumerate(teams):
            for seat in team:
                seats[seat] = order[(side - shift) % sides]
        return block, seats

    def tally(self) -> Standings:
        """Return a new object that counts the results of the tournament."""
        standings = Standings.begun(
            self.names,
            [bot.name for bot in self.bots],
            self.teams,
            self.line_ups,
            self.seed,
            anchor=self.anchor,
            half_width=self.half_width,
        )
        standings.remote = remote_bots(self.bots)
        return standings

    def _order(self, block: int) -> list[int]:
        meetings = self.line_ups
        turn, meeting = divmod(block, len(meetings))
        chance = FastDice(seed_of(self.label, self.seed, "order", turn // PAIR, meeting))
        order = shuffled(meetings[meeting], chance)
        return order[::-1] if turn % PAIR else order


def shuffled(members: Iterable[int], dice: FastDice) -> list[int]:
    """Return the members in random order. All orders are equally likely."""
    order = list(members)
    for last in range(len(order) - 1, 0, -1):
        other = dice.below(last + 1, CHOICE)
        order[last], order[other] = order[other], order[last]
    return order
