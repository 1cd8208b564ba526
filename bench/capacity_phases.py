"""Activities of a service, and the measured phases that count them, for `bench.capacity`."""

from __future__ import annotations

from collections import Counter
from typing import Final, Self

import msgspec

from bench.town import REDIS, WORKERS

EVENT, STREAM, STREAM_SECOND = "event", "stream", "stream second"
MOVE, VIEW, CHOICES, UNCHANGED = "move", "view", "view with legal moves", "view, 304"
SESSION, CALLED, SEARCH = "session", "bot called", "search"
WEB: Final = "web"
PARTS: Final = (WEB, REDIS, *WORKERS)
YARDSTICK: Final = ("hoher-rat", 2)
IDLE, MIXED = "idle", "mixed"


class Size(msgspec.Struct, frozen=True, kw_only=True):
    """Duration of the measurement: seconds of a phase, and sessions whose seats hold streams."""

    seconds: float = 2.0
    idle_seconds: float = 8.0
    bot_seconds: float = 1.5
    stream_seconds: float = 15.0
    call_seconds: float = 8.0
    mixed_seconds: float = 6.0
    sessions: int = 250
    moves: float = 150.0
    views: float = 300.0

    @classmethod
    def of(cls, seconds: float) -> Self:
        """Return the size with phases of this duration, and the others in proportion."""
        share = seconds / cls().seconds
        return cls(seconds=seconds, bot_seconds=share * cls().bot_seconds, mixed_seconds=share * cls().mixed_seconds)


class Phase(msgspec.Struct, frozen=True, kw_only=True):
    """One load: its duration, the number of each activity, and the CPU seconds of each part."""

    name: str
    seconds: float
    counts: dict[str, float]
    cpu: dict[str, float]


class Measurement(msgspec.Struct, frozen=True, kw_only=True):
    """All phases of a run, the memory of each part in MiB, and sizes in bytes."""

    date: str
    machine: dict[str, str]
    load_before: float
    phases: list[Phase]
    memory: dict[str, float]
    kib_a_stream: float
    sizes: dict[str, float]
    """Bytes of a response or event by activity."""

    stored: dict[str, float]
    """Bytes of Redis of a session that is played at random, by game."""

    stored_moves: dict[str, int]

    @property
    def mixed(self) -> Phase:
        """All phases of the mixed load together; no unit cost is taken from them."""
        parts = [phase for phase in self.phases if phase.name == MIXED]
        counts, cpu = Counter[str](), dict.fromkeys(PARTS, 0.0)
        for part in parts:
            counts.update({name: int(number) for name, number in part.counts.items()})
            cpu = {name: used + part.cpu[name] for name, used in cpu.items()}
        return Phase(name=MIXED, seconds=sum(part.seconds for part in parts), counts={**counts}, cpu=cpu)


def bot(game: str, level: str) -> str:
    """Return the activity of a bot's move."""
    return f"bot move: {game}, {level}"


def iterations(game: str) -> str:
    """Return the activity of an iteration of a search."""
    return f"iteration: {game}"
