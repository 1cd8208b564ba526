"""Writes the shards of a dataset: each as a whole, in any order, with the same bytes in every process."""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
from dorfplatz_games.datasets import Split, schema, split_of

from bench.datasets.plan import DatasetPlan, Shard
from bench.datasets.recorder import Recorder, Row
from workers.simulate.tally import GameResult

ROW_GROUP_ROWS: Final = 8_192
"""Rows after which a group of rows ends with the next game."""

SUMMARY_KEY: Final = b"dorfplatz"
PART: Final = ".part"
"""End of the names of files that are still being written."""

DICTIONARY_COLUMNS: Final = ("game", "ply", "seat", "bot", "code", "move", "legal_moves", "action", "iterations")
"""Columns with few different values, which a dictionary makes small."""


class Summary(msgspec.Struct, frozen=True):
    """The content of a file, which its metadata repeats: the plan, the results of its games, and numbers of rows.

    `positions` counts the decisions among several moves, each once, however many actions it takes.
    """

    plan: dict[str, Any]
    first: int
    games: int
    rows: int
    positions: int
    bots: dict[str, int]
    results: list[GameResult]


Summaries = dict[Split, Summary]


class Goal(msgspec.Struct, frozen=True, omit_defaults=True):
    """The end of a dataset: after a number of games, or with the shard that brings a number of positions."""

    games: int | None = None
    positions: int | None = None

    def includes(self, other: Goal) -> bool:
        """Return whether another goal is of the same kind, and not larger."""
        if self.positions is not None and other.positions is not None:
            return self.positions >= other.positions
        return self.games is not None and other.games is not None and self.games >= other.games

    def is_met(self, plan: DatasetPlan, found: list[Summaries]) -> bool:
        """Return whether the first shards are enough."""
        if self.positions is None:
            return len(found) * plan.shard_games >= plan.games
        return positions_of(found) >= self.positions

    def needs(self, plan: DatasetPlan, found: list[Summaries], ahead: int) -> bool:
        """Return whether a further shard is probably needed while some are in work."""
        if self.positions is None:
            return (len(found) + ahead) * plan.shard_games < plan.games
        if not found:
            return True
        usual = positions_of(found) / len(found)
        return positions_of(found) + ahead * usual < self.positions


def positions_of(found: list[Summaries]) -> int:
    """Return the number of positions in shards."""
    return sum(summary.positions for shard in found for summary in shard.values())


def write_shards(
    plan: DatasetPlan, folder: Path, goal: Goal, processes: int, tell: Callable[[list[Summaries], bool], None]
) -> list[Summaries]:
    """Write all shards that are missing, and return the summaries of all shards in order.

    Call `tell` after each shard with the shards so far, and whether the last one was written before this run. Shards
    that were begun and are not needed are deleted.
    """
    (folder / "data").mkdir(parents=True, exist_ok=True)
    for part in (folder / "data").glob(f"*{PART}"):
        part.unlink()
    described, found = plan.described(), list[Summaries]()
    window = 1 if processes == 1 else 2 * processes
    with workers(plan, folder, processes) as pool:
        waiting: deque[Future[Summaries] | Summaries] = deque()
        try:
            while not goal.is_met(plan, found):
                while len(waiting) < window and (not waiting or goal.needs(plan, found, len(waiting))):
                    shard = plan.shard(len(found) + len(waiting))
                    waiting.append(read_shard(described, folder, shard) or pool.submit(_write, shard.number))
                first = waiting.popleft()
                is_old = isinstance(first, dict)
                found.append(first if isinstance(first, dict) else first.result())
                tell(found, is_old)
        finally:
            pool.shutdown(cancel_futures=True)
    wanted = {folder / plan.shard(number).path(split) for number in range(len(found)) for split in found[number]}
    for file in set((folder / "data").iterdir()) - wanted:
        file.unlink()
    return found


class Alone(Executor):
    """Runs calls in this process."""

    def submit(self, call: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """Run a call at once."""
        done: Future[Any] = Future()
        done.set_result(call(*arguments, **named))
        return done


def workers(plan: DatasetPlan, folder: Path, processes: int) -> Executor:
    """Return the processes that write shards; a single one is this process."""
    if processes > 1:
        return ProcessPoolExecutor(processes, get_context("spawn"), _prepare, (plan, folder))
    _prepare(plan, folder)
    return Alone()


def read_shard(described: dict[str, Any], folder: Path, shard: Shard) -> Summaries | None:
    """Return the summaries of a shard if all its files are there and of this plan, otherwise None."""
    found: Summaries = {}
    for split in shard.splits:
        file = folder / shard.path(split)
        if not file.exists():
            return None
        found[split] = read_summary(file)
        if (found[split].plan, found[split].first, found[split].games) != (described, shard.games[0], len(shard.games)):
            return None
    return found


def read_summary(file: Path) -> Summary:
    """Return the summary in a file's metadata."""
    return msgspec.json.decode(pq.read_metadata(file).metadata[SUMMARY_KEY], type=Summary)


_recorders: Final[list[tuple[Recorder, DatasetPlan, Path]]] = []
"""The work of this child process: a list of one item, which `_prepare` sets."""


def _prepare(plan: DatasetPlan, folder: Path) -> None:
    _recorders[:] = [(Recorder(plan), plan, folder)]


def _write(number: int) -> Summaries:
    recorder, plan, folder = _recorders[0]
    return write_shard(recorder, plan, folder, plan.shard(number))


def write_shard(recorder: Recorder, plan: DatasetPlan, folder: Path, shard: Shard) -> Summaries:
    """Play the games of a shard, and write its files, which appear whole."""
    writers = {split: ShardFile(folder / shard.path(split), views=plan.views) for split in shard.splits}
    for number in shard.games:
        result, rows = recorder.record(number)
        writers[split_of(number)].add(result, rows)
    described = plan.described()
    found = {split: file.finish(described, shard) for split, file in writers.items()}
    for file in writers.values():
        file.appear()
    return found


class ShardFile:
    """A file that is being written: groups of rows go to a temporary file, which takes its name at the end."""

    def __init__(self, path: Path, *, views: bool) -> None:
        """Open a temporary file."""
        self._path, self._part = path, path.with_name(path.name + PART)
        self._schema = schema(views=views)
        names = set(self._schema.names)
        once = [name for name in DICTIONARY_COLUMNS if name in names]
        self._writer = pq.ParquetWriter(self._part, self._schema, compression="zstd", use_dictionary=once)
        self._rows: list[Row] = []
        self._results: list[GameResult] = []
        self._bots: Counter[str] = Counter()
        self._written = self._positions = 0

    def add(self, result: GameResult, rows: list[Row]) -> None:
        """Add the rows of a game."""
        self._results.append(result)
        self._rows += rows
        self._bots.update(row["bot"] for row in rows)
        self._positions += sum(1 for row in rows if not row["step"] and row["legal_moves"] > 1)
        if len(self._rows) >= ROW_GROUP_ROWS:
            self._flush()

    def _flush(self) -> None:
        if self._rows:
            self._writer.write_table(table_of(self._rows, self._schema))
        self._written += len(self._rows)
        self._rows = []

    def finish(self, described: dict[str, Any], shard: Shard) -> Summary:
        """Write the remaining rows and the summary, and return it."""
        self._flush()
        summary = Summary(
            plan=described,
            first=shard.games[0],
            games=len(shard.games),
            rows=self._written,
            positions=self._positions,
            bots=dict(sorted(self._bots.items())),
            results=self._results,
        )
        self._writer.add_key_value_metadata({SUMMARY_KEY: msgspec.json.encode(summary)})
        self._writer.close()
        return summary

    def appear(self) -> None:
        """Give the file its name, once its bytes are on the disk."""
        with self._part.open("rb") as written:
            os.fsync(written.fileno())
        self._part.replace(self._path)


def table_of(rows: list[Row], columns: pa.Schema) -> pa.Table:
    """Return rows as a table of Arrow."""
    arrays = [pa.array([row[field.name] for row in rows], field.type) for field in columns]
    return pa.Table.from_arrays(arrays, schema=columns)


def results_of(found: list[Summaries]) -> Iterator[GameResult]:
    """Yield the results of all games by their numbers."""
    results = [result for shard in found for summary in shard.values() for result in summary.results]
    yield from sorted(results, key=lambda result: result.game)
