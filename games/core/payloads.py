"""Payloads of every game: moves, events, views, records, options, draws, and the result of a move."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

import msgspec
from msgspec import UNSET, UnsetType

from games.core.table import SPECTATOR, SPECTATORS, Table


class Move(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind"):
    """An action of a seat, for people and the wire; subclasses set `tag` to their kind.

    Kinds are unique among all games: the service finds a move's type by its kind alone.
    """


class Event(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind"):
    """Information that a move reveals to its hearers; subclasses set `tag` to their kind, unique among all games."""


class View(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="game"):
    """A viewer's complete knowledge of a table, with perfect memory; subclasses set `tag` to the game's slug.

    Every view has at least these fields; `seat` is None for a spectator.
    """

    own: ClassVar[frozenset[str] | None] = None
    """The fields in which views of one table may differ, if a game tells: others are compared once for all viewers."""

    ruleset: str
    seats: int = msgspec.field(name="seat_count")
    ply: int
    seat: int | None
    actors: list[int]


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A table written down in full, readable; it has no published schema."""


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A game's options; every field has a default and, as `Meta(description, extra_json_schema)`, its source."""


Drawn = Annotated[int, msgspec.Meta(ge=-(2**31) + 1, le=2**31 - 1)] | str
"""A drawn value: a number of 32 bits, since not every client reads more beside texts, or a name."""


class Draw(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A result of chance: its subject and the card or face by name."""

    what: str
    value: Drawn


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One line of a table's log: the seat, the move with the mover's own content, and the results of chance."""

    seat: int
    move: int
    outcomes: list[Draw] = []
    content: str | UnsetType = UNSET


@dataclass(frozen=True, slots=True)
class Refusal:
    """The reason why a move is illegal: the forbidding rule, a text key with parameters, and the place in the move."""

    rule: str
    reason: str
    pointer: str = ""
    params: dict[str, Any] = field(default_factory=dict)


class UnexplainedError(RuntimeError):
    """A move is illegal and no rule of its game says why: the game has a gap."""


class BrokenRecordError(ValueError):
    """A written-down table or a view breaks an invariant of its game."""

    def __init__(self, rule: str, reason: str, pointer: str, **params: object) -> None:
        """Name the invariant's rule id, a text key with its parameters, and the place."""
        super().__init__(f"{rule} {reason} at {pointer or '/'} {params or ''}")
        self.rule = rule
        self.reason = reason
        self.pointer = pointer
        self.params = params


@dataclass(frozen=True, slots=True)
class Heard:
    """An event with the set of its hearers (seats, and SPECTATORS)."""

    hearers: int
    event: Event

    def by(self, seat: int) -> bool:
        """Return whether a seat, or SPECTATOR, hears it."""
        return bool(self.hearers & (SPECTATORS if seat == SPECTATOR else 1 << seat))


@dataclass(frozen=True, slots=True)
class Step:
    """The result of one move: the table after it, the events with their hearers, and the line of the log."""

    table: Table
    heard: list[Heard]
    entry: Entry

    @property
    def outcomes(self) -> list[Draw]:
        """Return the results of chance."""
        return self.entry.outcomes


@dataclass(frozen=True, slots=True)
class Provenance:
    """Source of a number that the rulebook does not print."""

    value: str
    source: str
    kind: str  # rulebook | public | measured | reconstructed | decision
