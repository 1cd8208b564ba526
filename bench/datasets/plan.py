"""The plan of a dataset: everything that decides the bytes of its shards."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final

import msgspec
import pyarrow as pa
from dorfplatz_games.datasets import FORMAT, TEST_INTERVAL, Split, layout_of, split_of
from dorfplatz_games.learners import learner

from games.core.kernel import digest, hot_modules
from workers.simulate.batch import SimulationPlan

ROOT: Final = Path(__file__).resolve().parents[2]

FINGERPRINT_CHARACTERS: Final = 16


@dataclass(frozen=True, slots=True)
class DatasetPlan(SimulationPlan):
    """The schedule of a dataset's games. Each game has a deal of its own, and the bots change seats from game to game.

    With `search_iterations` above 0, a search of this length values each decision, in place of the bot's own search. At
    -1 the search of the bot does, and at 0 nothing. `shard_games` is the number of games in a shard.
    """

    search_iterations: int = -1
    views: bool = True
    shard_games: int = 50

    label: ClassVar[str] = "dataset"

    def seating(self, number: int) -> tuple[int, list[int]]:
        """Return two values for a game: the number of its deal, which is its own, and the bot in each seat."""
        seats = len(self.bots)
        return number, [(seat - number) % seats for seat in range(seats)]

    def described(self) -> dict[str, Any]:
        """Return the plan as plain JSON, without the number of games. Equal plans write equal shards."""
        return {
            "format": FORMAT,
            "game": self.game.slug,
            "ruleset": self.game.ruleset,
            "seats": len(self.bots),
            "options": msgspec.to_builtins(self.options),
            "layout": layout_of(learner(self.game.slug, len(self.bots))),
            "bots": [bot.name for bot in self.bots],
            "seed": self.seed,
            "values": self.values,
            "views": self.views,
            "shard_games": self.shard_games,
            "test_interval": TEST_INTERVAL,
            "version": tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"],
            "kernel": digest(ROOT, (), hot_modules(ROOT))[:FINGERPRINT_CHARACTERS],
            "pyarrow": pa.__version__,
        }

    @property
    def values(self) -> str:
        """The source of the search values, as the option `--values` names it."""
        return {-1: "bot", 0: "none"}.get(self.search_iterations, str(self.search_iterations))

    def shard(self, number: int) -> Shard:
        """Return a shard by its number; the last one of a fixed number of games may be smaller."""
        first = number * self.shard_games
        return Shard(number, range(first, min(first + self.shard_games, self.games)))


@dataclass(frozen=True, slots=True)
class Shard:
    """A unit of work: consecutive games, whose rows are in one file for each split."""

    number: int
    games: range

    @property
    def splits(self) -> tuple[Split, ...]:
        """The splits that have games of this shard, in the order of the games' numbers."""
        return tuple(dict.fromkeys(split_of(game) for game in self.games))

    def path(self, split: Split) -> str:
        """Return the path of a file in the folder of the dataset."""
        return f"data/{split}-{self.number:05}.parquet"
