"""Converts the games of a job to a Parquet file.

This requires the package pyarrow, which the extra `parquet` installs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from itertools import islice
from typing import Any, Final, NamedTuple

import msgspec

from games.core.checkpoint import checkpoint

PARQUET: Final = "application/vnd.apache.parquet"

ROW_GROUP: Final = 10_000
"""Number of games per row group. The writer holds one row group in memory."""

PREFIX: Final = "group."
"""Prefix of the columns with the fields of a game's group."""


class GroupColumns(NamedTuple):
    """The columns that describe the group of a game."""

    fields: Sequence[str] = ()  # fields of the outcome that have a column
    opening: bool = False  # whether the first moves have a column


def can_write_parquet() -> bool:
    """Return whether pyarrow is installed."""
    return find_spec("pyarrow") is not None


def parquet_file(lines: Iterator[bytes], groups: GroupColumns) -> Iterator[bytes]:
    """Convert game results in JSON to a Parquet file. Yield the file in chunks, one per row group."""
    import pyarrow as pa  # noqa: PLC0415 -- an extra, and slow to import
    from pyarrow.parquet import ParquetWriter  # noqa: PLC0415

    schema, sink = _schema(pa, groups), _Sink()
    with ParquetWriter(sink, schema, compression="zstd") as writer:
        while rows := [_row(line) for line in islice(lines, ROW_GROUP)]:
            checkpoint()
            writer.write_batch(pa.RecordBatch.from_pylist(rows, schema=schema))
            yield sink.take()
    yield sink.take()


def _schema(pa: Any, groups: GroupColumns) -> Any:
    forfeit = pa.struct({"seat": pa.int8(), "cause": pa.string(), "rule": pa.string(), "detail": pa.string()})
    columns = {
        "game": pa.int64(),
        "deal": pa.int64(),
        "bots": pa.list_(pa.int8()),
        "rewards": pa.list_(pa.float64()),
        "plies": pa.int32(),
        "points": pa.list_(pa.int32()),
        "forfeit": forfeit,
        **{f"{PREFIX}{field}": pa.string() for field in groups.fields},
    }
    if groups.opening:
        columns["opening"] = pa.list_(pa.struct({"seat": pa.int8(), "code": pa.int64()}))
    return pa.schema(columns)


def _row(line: bytes) -> dict[str, Any]:
    row: dict[str, Any] = msgspec.json.decode(line)
    group: Mapping[str, Any] = row.pop("group", {})
    named = {f"{PREFIX}{field}": value for field, value in group.get("key", {}).items()}
    return {**row, **named, "opening": group.get("opening", [])}


class _Sink:
    """A file in memory. The method `take` returns and removes the bytes that were written since its last call."""

    closed = False

    def __init__(self) -> None:
        self._fresh = bytearray()

    def write(self, data: Any) -> int:
        self._fresh += memoryview(data)
        return len(data)

    def flush(self) -> None:
        """Do nothing. pyarrow calls this method, but the bytes stay in memory until `take` returns them."""

    def take(self) -> bytes:
        fresh = bytes(self._fresh)
        self._fresh.clear()
        return fresh
