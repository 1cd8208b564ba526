"""Plays the games of a simulation or tournament. Each game depends only on the plan and the number of the game.

The deal, the bots and the random draws have separate random generators. So the bots do not affect the deal. Different
bots can be compared in games with the same deal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Protocol, Self

import msgspec
from msgspec import UnsetType

from games.core.dice import FastDice, SplitDice
from games.core.game import Game, Options
from games.core.registry import registered
from games.core.table import Journal, Table
from games.search.advise import Partial, Tick, choose_at, seed_of
from service.jobs.grouping import GroupCounts, Grouping
from service.jobs.players import Player, RemoteBot, player_of, remote_bots
from workers.simulate.groups import GroupReader
from workers.simulate.tally import Forfeit, GameCounts, GameResult, Tally
from workers.simulate.window import play_window

FIRST_PORTION: Final = 16
"""Number of games that are played first, when the duration of a game is not yet known."""

HALF: Final = 2**28
"""Factor that combines two random numbers, of 32 and 28 bits, into one seed."""


class ForfeitedError(Exception):
    """A bot has forfeited the game, for example by a late response or an illegal move."""

    def __init__(self, forfeit: Forfeit) -> None:
        super().__init__(forfeit.cause)
        self.forfeit = forfeit


class Schedule(Protocol):
    """A schedule of games: the bots, and the seats that they take in each game."""

    # Part of all seeds, so that a simulation and a tournament with the same `seed` have different games.
    label: ClassVar[str]

    @property
    def game(self) -> Game:
        """The game that is played."""

    @property
    def options(self) -> Options:
        """The options of the game."""

    @property
    def bots(self) -> tuple[Player, ...]:
        """The bots that play."""

    @property
    def seed(self) -> str:
        """The seed of all random draws."""

    @property
    def games(self) -> int:
        """The maximum number of games."""

    @property
    def grouping(self) -> Grouping | None:
        """The rule that groups the games. It is None if the games are not grouped."""

    def seating(self, number: int) -> tuple[int, list[int]]:
        """Return the deal number of a game, and the bot of each seat as an index in `bots`.

        `number` is the number of the game, counted from 0. Games with the same deal number start from the same random
        set-up.
        """

    def tally(self) -> GameCounts:
        """Return a new object that counts the results of the games."""


@dataclass(frozen=True, slots=True)
class SimulationPlan:
    """The schedule of a simulation. In game 0, seat i has the bot `bots[i]`."""

    game: Game
    bots: tuple[Player, ...]
    options: Options
    seed: str
    games: int  # maximum number of games
    # Each bot moves to the next seat in every game. All games of one rotation have the same deal, so that every bot has
    # the same luck.
    rotate: bool = True
    # If this is not 0, the simulation ends once the intervals of all win rates are narrow enough (`Tally.enough`).
    half_width: float = 0.0
    grouping: Grouping | None = None

    label: ClassVar[str] = "simulation"

    @classmethod
    def read(cls, payload: Mapping[str, Any]) -> Self:
        """Return the plan that a job's payload contains."""
        game = registered()[payload["game"]]
        return cls(
            game,
            tuple(player_of(game, bot, len(payload["bots"])) for bot in payload["bots"]),
            msgspec.convert(payload["options"], game.options_type),
            payload["seed"],
            payload["games"],
            rotate=payload["rotate_seats"],
            half_width=payload["half_width"],
            grouping=msgspec.convert(payload.get("group_by"), Grouping | None),
        )

    def tally(self) -> Tally:
        """Return a new object that counts the results of the games."""
        names = [bot.name for bot in self.bots]
        tally = Tally.begun(names, self.seed, rotate=self.rotate, half_width=self.half_width)
        tally.remote = remote_bots(self.bots)
        if self.grouping is not None:
            tally.groups, tally.grouping = GroupCounts(), self.grouping
        return tally

    def seating(self, number: int) -> tuple[int, list[int]]:
        """Return the deal number of a game, and the bot of each seat as an index in `bots`.

        `number` is the number of the game, counted from 0. Games with the same deal number start from the same random
        set-up.
        """
        seats = len(self.bots)
        deal, shift = divmod(number, seats) if self.rotate else (number, 0)
        return deal, [(seat - shift) % seats for seat in range(seats)]


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision that a bot has to make: the number of the game, the table and the seat."""

    game: int
    table: Table
    seat: int


class SimulationWork:
    """Plays the games of a plan, in any order."""

    def __init__(self, plan: Schedule) -> None:
        self.plan = plan
        self._groups = None if plan.grouping is None else GroupReader(plan.game, plan.grouping)

    def choose(self, bot: Player, decision: Decision, seed: int, look_up: Tick) -> int:
        """Return the code of a bot's move. `seed` determines the bot's random choices."""
        if isinstance(bot, RemoteBot):
            raise TypeError("a bot at a URL is asked by workers.simulate.remote")
        return choose_at(self.plan.game, decision.table, decision.seat, bot, seed, look_up)

    def note_move(self, seat: int) -> None:
        """Do nothing. A subclass can override this method.

        The method is called after each move. `seat` is the seat that made the move. If a decision is discarded, its
        move is not made, and the method is not called.
        """

    def do(self, item: int, tick: Tick) -> bytes:
        """Play one game and return its encoded result. Call `tick` between moves."""
        return msgspec.json.encode(self.play(item, tick))

    def aggregate(self) -> GameCounts:
        """Return a new object that counts the results of the games."""
        return self.plan.tally()

    def play(self, number: int, tick: Tick | None = None) -> GameResult:
        """Play one game and return its result."""
        plan, groups, opening = self.plan, self._groups, list[tuple[int, int]]()
        deal, bots = plan.seating(number)
        draws = SplitDice(self._seed("draws", deal))
        minds = [self._mind(bots, seat, number) for seat in range(len(bots))]
        contents: dict[int, str | UnsetType] = {}
        lots = FastDice(self._seed("lots", deal))
        table = plan.game.new(len(bots), plan.options, FastDice(self._seed("deal", deal)))

        def look_up(_done: int, _total: int, _partial: Partial) -> None:
            if tick is not None:
                tick(0, 0, dict)

        def ask(seat: int) -> int:
            mind = minds[seat]
            seed = mind.word() * HALF + mind.word() % HALF
            code = self.choose(plan.bots[bots[seat]], Decision(number, table, seat), seed, look_up)
            contents[seat] = plan.game.content(table)
            return code

        def do(seat: int, code: int, journal: Journal) -> None:
            draws.seat = seat
            plan.game.lay(table, contents[seat])  # another seat's answer may be in place by now
            table.apply(seat, code, draws, journal)
            self.note_move(seat)
            if groups is not None and len(opening) < groups.opening:
                opening.append((seat, code))
            look_up(0, 0, dict)

        forfeit, points = None, None
        try:
            while table.actors():
                play_window(plan.game, table, lots, ask, do)
            rewards, points = [float(reward) for reward in table.rewards()], plan.game.points(table)
        except ForfeitedError as out:
            forfeit = out.forfeit
            rewards = plan.game.forfeit(table.seats, [forfeit.seat])
        rewards = [round(reward, 6) for reward in rewards]
        result = GameResult(number, deal, bots, rewards, table.ply, forfeit, points)
        if groups is not None:
            result.group = groups.group(table, msgspec.structs.asdict(result), opening)
        return result

    def _mind(self, bots: list[int], seat: int, number: int) -> FastDice:
        """Return the random generator of the bot in a seat.

        Each seat needs a separate generator, because the same bot may have several seats.
        """
        before = bots[:seat].count(bots[seat])
        return FastDice(self._seed("bot", bots[seat], number, *([before] if before else [])))

    def _seed(self, *parts: object) -> int:
        return seed_of(self.plan.label, self.plan.seed, *parts)
