"""A stream is read piece by piece: how long a piece is, where it waits, and when the stream is closed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from redis.exceptions import ConnectionError as Away

from service.http import streaming
from service.http.streaming import Piece, Stream
from service.http.wait_slots import WaitSlot
from service.subscription import StreamHeartbeat, Subscription

Part = bytes | Subscription | Exception


class Source:
    """Chunks of a stream, which may fail, and its wait slot."""

    def __init__(self, *parts: Part) -> None:
        self.closed = self.released = 0
        self.stream = Stream(self._chunks(parts), WaitSlot(self._release))

    def _chunks(self, parts: tuple[Part, ...]) -> Iterator[bytes | Subscription]:
        try:
            for part in parts:
                if isinstance(part, Exception):
                    raise part
                yield part
        finally:
            self.closed += 1

    def _release(self) -> None:
        self.released += 1

    @property
    def is_open(self) -> bool:
        assert self.closed == self.released <= 1
        return not self.released


def subscribed(*chunks: bytes, ends: bool = False) -> Subscription:
    found = Subscription(StreamHeartbeat(b":", 60))
    for chunk in chunks:
        found.push(chunk)
    if ends:
        found.end()
    return found


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "PIECE_BYTES", 10)


@pytest.mark.parametrize(
    ("lengths", "pieces"),
    [
        ([], [0]),
        ([9], [9]),
        ([10], [10, 0]),
        ([4, 5], [9]),
        ([4, 6], [10, 0]),
        ([4, 4, 4, 1], [12, 1]),
        ([25, 3, 8], [25, 11, 0]),
    ],
)
@pytest.mark.parametrize("begins", [False, True])
def test_a_piece_has_at_least_its_size_or_is_the_last(lengths: list[int], pieces: list[int], *, begins: bool) -> None:
    source = Source(*(b"a" * length for length in lengths))
    if begins:
        source.stream.begin()
    for number, length in enumerate(pieces, 1):
        assert source.is_open or begins
        is_last = number == len(pieces)
        assert source.stream.read() == Piece(b"a" * length, None, is_last)
    assert not source.is_open


def test_a_piece_ends_at_a_subscription_with_the_chunks_that_it_has() -> None:
    one, other = subscribed(b"c", b"d"), subscribed()
    source = Source(b"a", b"b", one, b"e", other)
    assert source.stream.read() == Piece(b"abcd", one, is_last=False)
    assert one.take() == ([], False)
    assert source.stream.read() == Piece(b"e", other, is_last=False)
    assert source.is_open
    assert source.stream.read() == Piece(b"", None, is_last=True)
    assert not source.is_open


def test_a_stream_ends_if_the_store_is_away() -> None:
    source = Source(b"a", Away())
    assert source.stream.read() == Piece(b"a", None, is_last=True)
    assert not source.is_open


@pytest.mark.parametrize("begins", [False, True])
def test_a_stream_that_fails_is_closed(*, begins: bool) -> None:
    source = Source(b"a", KeyError())
    with pytest.raises(KeyError):
        (source.stream.begin if begins else source.stream.read)()
    assert not source.is_open


def test_a_second_close_does_nothing() -> None:
    source = Source(b"a" * 10, b"b")
    source.stream.read()
    for _ in range(2):
        source.stream.close()
        assert not source.is_open


def test_a_server_without_a_loop_reads_the_whole_stream() -> None:
    source = Source(b"a", subscribed(b"b", b"c", ends=True), b"d" * 10, b"e")
    assert list(source.stream) == [b"a", b"b", b"c", b"d" * 10, b"e"]
    assert not source.is_open


def test_a_server_without_a_loop_closes_an_unread_stream() -> None:
    source = Source(b"a" * 10, b"b")
    reader: Any = iter(source.stream)
    assert next(reader) == b"a" * 10
    reader.close()
    assert not source.is_open
