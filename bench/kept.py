"""Results that are played step by step: stored whole after every step, and continued after an end."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec


class Kept(msgspec.Struct, kw_only=True):
    """Games of players in one game and number of seats, as they are stored: the last field are rows, a deal each.

    `levels` are the worlds, the iterations and, if any, the temperature of the players that are levels. `weights` are
    those of their evaluations, and the net's number. `advisers` are the marks of players that the game's own adviser
    plays; older results have none.
    """

    game: str
    seats: int
    begun: str = ""
    machine: str = ""
    weights: dict[str, dict[str, float]] = {}
    levels: dict[str, list[float]] = {}
    advisers: dict[str, str] = {}
    seconds: float = 0.0

    @property
    def name(self) -> str:
        """Return its name, also of its file."""
        return f"{self.game}-{self.seats}"

    @property
    def players(self) -> tuple[object, ...]:
        """Return the recorded properties of its players; a continuation must agree in them."""
        return self.weights, self.levels, self.advisers

    def plays_like(self, other: Kept) -> bool:
        """Return whether its players play as those of another; results without marks of advisers always agree."""
        return self.players in (other.players, (other.weights, other.levels, {}))


KeptT = TypeVar("KeptT", bound=Kept)


def load_kept(kind: type[KeptT], name: str, folder: Path) -> KeptT | None:
    """Return the stored result of a name, if any."""
    path = path_of(name, folder)
    return msgspec.json.decode(path.read_bytes(), type=kind) if path.exists() else None


def keep(kept: Kept, folder: Path) -> None:
    """Write it down, at once or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    path = path_of(kept.name, folder)
    fresh = path.with_suffix(".new")
    fresh.write_bytes(written(kept))
    fresh.replace(path)


def path_of(name: str, folder: Path) -> Path:
    """Return the path of a name's file."""
    return folder / f"{name}.json"


def written(kept: Kept) -> bytes:
    """Return it as JSON with a line for each row."""
    rows = kept.__struct_fields__[-1]
    head = msgspec.json.encode(msgspec.structs.replace(kept, **{rows: []})).removesuffix(b"[]}")
    lines = b",\n".join(msgspec.json.encode(row) for row in getattr(kept, rows))
    return head + b"[\n" + lines + b"\n]}\n"
