"""Datasets of games as NumPy arrays: `Dataset("wichtel-4").batches("train")`; the extra `datasets`.

    from dorfplatz_games.datasets import Dataset

    data = Dataset("wichtel-4")
    for batch in data.batches("train", size=1024, seed=7):
        learn(batch.observations, batch.masks, batch.policies, batch.rewards)

`python3 dev.py dataset` writes a dataset: a folder with `README.md` (its card), `metadata.json` and Parquet files in
`data`. A row is one action of a seat. A move that takes several actions has a row for each, `step` 0, 1 and so on. All
rows of a game are in one file, in the order of the moves.

Every column before the result holds only the knowledge of the seat that moves. Observations are of the type `binary`,
because Hugging Face's library reads no binary values of a fixed size before its versions of 2026.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from dorfplatz_games.learners import Field, Learner, learner

__all__ = ["COLUMNS", "RESULTS", "Batch", "Column", "Dataset", "Split", "fields_of", "layout_of", "schema", "split_of"]

FORMAT: Final = 1
"""Version of the columns; a loader reads its own alone."""

TEST_INTERVAL: Final = 10
"""Interval of the games in the split `test`."""

Split = Literal["train", "test"]
SPLITS: Final[tuple[Split, ...]] = ("train", "test")


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, its Arrow type, and its meaning with its unit."""

    name: str
    type: pa.DataType
    meaning: str


COLUMNS: Final = (
    Column("game", pa.int32(), "number of the game, from 0; a tenth of the games, with last digit 9, is `test`"),
    Column(
        "ply", pa.int16(), "number of moves that the seat knows of when it decides; equal for seats that decide at once"
    ),
    Column("step", pa.int8(), "number of the action within its move, from 0"),
    Column("seat", pa.int8(), "the seat that moves, from 0"),
    Column("bot", pa.string(), "level of the bot in the seat"),
    Column("observation", pa.binary(), "the seat's knowledge and the earlier actions of the move: bits, lowest first"),
    Column("legal", pa.list_(pa.int16()), "the legal actions, ascending; the mask of the learners"),
    Column("legal_moves", pa.int32(), "number of legal moves; examples, where a move has words of the player's own"),
    Column("action", pa.int16(), "the action, as an index of the learners' action space"),
    Column("code", pa.int64(), "the code of the whole move"),
    Column("move", pa.string(), "the whole move as JSON of the contract"),
    Column("view", pa.string(), "the seat's view before the move as JSON of the contract"),
    Column("iterations", pa.int32(), "iterations of the search; null without one, as for an only legal move"),
    Column("values", pa.list_(pa.float32()), "mean reward of each seat in the search, 0 to 1; null if not valued"),
    Column("searched", pa.list_(pa.int16()), "the actions that the search has valued, ascending; null without one"),
    Column("visits", pa.list_(pa.int32()), "the search's visits of these actions; null if it samples nothing"),
    Column("means", pa.list_(pa.float32()), "the mover's mean reward after these actions, 0 to 1"),
)
"""Columns that a seat's knowledge and its bot's own thoughts determine."""

RESULTS: Final = (
    Column(
        "rewards", pa.list_(pa.float32()), "each seat's share of the win at the end, 0 to 1; partners have equal shares"
    ),
    Column("scores", pa.list_(pa.int32()), "each seat's points at the end; null in a game without points"),
    Column("ranks", pa.list_(pa.int8()), "each seat's rank at the end, from 1; equal results share a rank"),
)
"""Columns that the end of the game determines; all rows of a game have the same."""

ARRAYS: Final = frozenset({*(c.name for c in (*COLUMNS, *RESULTS))} - {"bot", "legal_moves", "code", "move", "view"})
"""Columns that a batch shows as arrays."""


def schema(*, views: bool) -> pa.Schema:
    """Return the columns of a file, with or without views."""
    return pa.schema([(c.name, c.type) for c in (*COLUMNS, *RESULTS) if views or c.name != "view"])


def split_of(game: int) -> Split:
    """Return the split of a game by its number."""
    return "test" if game % TEST_INTERVAL == TEST_INTERVAL - 1 else "train"


def layout_of(learned: Learner) -> str:
    """Return a fingerprint of the bits of observations and of the number of actions."""
    bits = [f"{first} {field.kind} {field.width} {field.name}" for first, field in fields_of(learned)]
    return hashlib.sha256("\n".join([*bits, str(learned.actions.size)]).encode()).hexdigest()[:16]


def fields_of(learned: Learner) -> Iterator[tuple[int, Field]]:
    """Yield the fields of an observation, each with the number of its first bit."""
    yield from zip(learned.layout.starts, learned.layout.fields, strict=True)


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows as arrays with one entry for each row; `n` is the number of rows.

    * `games`, `plies`, `steps`, `seats`: the columns of these names, int64 of shape (n,)
    * `observations`: the bits of the learners' observation, uint8 of shape (n, bits)
    * `masks`: 1 for every legal action, int8 of shape (n, actions)
    * `actions`: the actions, int64 of shape (n,)
    * `policies`: each action's share of the search's visits, float32 of shape (n, actions); 0 without visits
    * `means`: the mover's mean reward after each action, float32 of shape (n, actions); NaN if not valued
    * `values`: the search's mean reward of each seat, float32 of shape (n, seats); NaN if not valued
    * `rewards`, `scores`, `ranks`: the result of the game, float32 of shape (n, seats); NaN without points
    * `rows`: the rows as a table of Arrow, with the columns that the caller has requested
    """

    games: NDArray[np.int64]
    plies: NDArray[np.int64]
    steps: NDArray[np.int64]
    seats: NDArray[np.int64]
    observations: NDArray[np.uint8]
    masks: NDArray[np.int8]
    actions: NDArray[np.int64]
    policies: NDArray[np.float32]
    means: NDArray[np.float32]
    values: NDArray[np.float32]
    rewards: NDArray[np.float32]
    scores: NDArray[np.float32]
    ranks: NDArray[np.float32]
    rows: pa.Table

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.actions)


class Dataset:
    """A dataset in a folder.

    `metadata` is the content of `metadata.json`. `learner` is the game with its number of seats: its `layout` describes
    the bits of an observation, and its `actions` the actions.
    """

    def __init__(self, folder: str | Path) -> None:
        """Open a folder; raise ValueError for an incomplete dataset, and for another format, ruleset or layout."""
        self.folder = Path(folder)
        self.metadata: dict[str, Any] = json.loads((self.folder / "metadata.json").read_text("utf-8"))
        plan = self.metadata["plan"]
        if not self.metadata["complete"]:
            raise ValueError(f"the dataset in {folder} is incomplete; its command completes it")
        if plan["format"] != FORMAT:
            raise ValueError(f"the dataset has format {plan['format']}, and this loader reads {FORMAT}")
        self.learner: Learner = learner(plan["game"], plan["seats"])
        if plan["ruleset"] != self.learner.game.ruleset:
            raise ValueError(f"the dataset has ruleset {plan['ruleset']}, and this is {self.learner.game.ruleset}")
        if plan["layout"] != layout_of(self.learner):
            raise ValueError("the dataset has observations or actions of another version of dorfplatz-games")

    def files(self, split: Split) -> list[Path]:
        """Return the files of a split, in the order of their games."""
        return [self.folder / file["path"] for file in self.metadata["files"] if file["split"] == split]

    def rows(self, split: Split) -> int:
        """Return the number of rows of a split."""
        return sum(file["rows"] for file in self.metadata["files"] if file["split"] == split)

    def batches(
        self,
        split: Split = "train",
        size: int = 1024,
        *,
        seed: int | None = None,
        forced: bool = False,
        columns: Sequence[str] = (),
    ) -> Iterator[Batch]:
        """Yield all rows of a split once, in batches of equal size; the last one may be smaller.

        Without a seed rows come in the order of the games. With one, files are shuffled, and rows within a file. Rows
        with a single legal action are left out unless `forced`. `columns` are further columns for `Batch.rows`, such as
        `view` or `move`. Memory holds one file at a time.
        """
        if size < 1:
            raise ValueError(f"{size} is no size of a batch")
        random = None if seed is None else np.random.default_rng(seed)
        wanted = [*sorted(ARRAYS), *(name for name in columns if name not in ARRAYS)]
        files = self.files(split)
        order = range(len(files)) if random is None else random.permutation(len(files))
        rest: pa.Table | None = None
        for index in order:
            rows = pq.read_table(files[index], columns=wanted)
            if not forced:
                rows = rows.filter(pc.greater(pc.list_value_length(rows["legal"]), 1))
            if random is not None:
                rows = rows.take(random.permutation(len(rows)))
            rows = rows if rest is None else pa.concat_tables([rest, rows])
            whole = len(rows) // size * size
            for start in range(0, whole, size):
                yield self._batch(rows.slice(start, size))
            rest = rows.slice(whole)
        if rest is not None and len(rest):
            yield self._batch(rest)

    def _batch(self, rows: pa.Table) -> Batch:
        amount, seats, actions = len(rows), self.learner.seats, self.learner.actions.size
        masks = np.zeros((amount, actions), np.int8)
        owners, legal = _flat(rows, "legal")
        masks[owners, legal] = 1
        searched = _flat(rows, "searched")[1].astype(np.int64)
        owners, means = _flat(rows, "means")
        valued = np.full((amount, actions), np.nan, np.float32)
        valued[owners, searched] = means
        return Batch(
            games=_numbers(rows, "game"),
            plies=_numbers(rows, "ply"),
            steps=_numbers(rows, "step"),
            seats=_numbers(rows, "seat"),
            observations=self._observations(rows),
            masks=masks,
            actions=_numbers(rows, "action"),
            policies=_policies(rows, actions),
            means=valued,
            values=_by_seat(rows, "values", seats),
            rewards=_by_seat(rows, "rewards", seats),
            scores=_by_seat(rows, "scores", seats),
            ranks=_by_seat(rows, "ranks", seats),
            rows=rows,
        )

    def _observations(self, rows: pa.Table) -> NDArray[np.uint8]:
        packed = np.frombuffer(b"".join(rows["observation"].to_pylist()), np.uint8)
        return np.unpackbits(packed.reshape(len(rows), -1), axis=1, bitorder="little")


def _numbers(rows: pa.Table, name: str) -> NDArray[np.int64]:
    return np.asarray(rows[name].to_numpy(), np.int64)


def _flat(rows: pa.Table, name: str) -> tuple[NDArray[np.int64], NDArray[Any]]:
    lengths = pc.fill_null(pc.list_value_length(rows[name]), 0).to_numpy()
    return np.repeat(np.arange(len(rows)), lengths), pc.list_flatten(rows[name]).to_numpy()


def _by_seat(rows: pa.Table, name: str, seats: int) -> NDArray[np.float32]:
    found = np.full((len(rows), seats), np.nan, np.float32)
    owners, items = _flat(rows, name)
    found[owners[::seats]] = items.reshape(-1, seats)
    return found


def _policies(rows: pa.Table, actions: int) -> NDArray[np.float32]:
    found = np.zeros((len(rows), actions), np.float32)
    sampled = rows.append_column("number", pa.array(np.arange(len(rows)))).filter(pc.is_valid(rows["visits"]))
    owners, visits = _flat(sampled, "visits")
    numbers = _numbers(sampled, "number")[owners]
    found[numbers, _flat(sampled, "searched")[1]] = visits
    totals = found.sum(axis=1, keepdims=True)
    np.divide(found, totals, out=found, where=totals > 0)
    return found
