"""Positions of the club, written as short as a sentence, with their queries."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from games.core.dice import FastDice, ScriptedDice
from games.core.game import Draw, Game, Move, Step
from games.core.table import Table
from games.gartenzwerge.game import Gartenzwerge
from games.gartenzwerge.moves import CAPS
from games.gartenzwerge.options import ClubOptions, EventName
from games.gartenzwerge.table.club import Club
from games.gartenzwerge.view import ClubMember, ClubRecord, ClubView, DwarfPair, DwarfRow, SealedAnswer
from tests.games.queries import Queries

GAME: Final[Game] = Gartenzwerge()
QUERIES: Final = Queries(GAME)
legal, refusal = QUERIES.legal, QUERIES.refusal
QUIET: Final = ClubOptions(events=[])
"""The usual options without events."""

Script = Sequence[tuple[str, int | str]]


def sealed(amounts: Mapping[int, int | None]) -> list[SealedAnswer]:
    return [SealedAnswer(seat=seat, amount=amount) for seat, amount in amounts.items()]


def dwarfs(said: str) -> DwarfRow:
    """Return a row from words such as "brown orange orange"."""
    caps = said.split()
    return DwarfRow(**{cap: caps.count(cap) for cap in set(caps)})


def member(seat: int, given: Mapping[str, Any]) -> ClubMember:
    """Return a member from its description; the rest is as at the beginning of a game."""
    return ClubMember(
        seat=seat,
        blossoms=given.get("money", 1500),
        out=given.get("out", False),
        free=dwarfs(given.get("free", "brown orange")),
        garden=dwarfs(given.get("garden", "")),
        lower=dwarfs(given.get("lower", "")),
        higher=dwarfs(given.get("higher", "")),
        lent=dwarfs(given.get("lent", "")),
        shed=[DwarfPair(own=own, mate=mate, owner=owner) for own, mate, owner in given.get("shed", ())],
    )


def position(
    seats: int = 3,
    *,
    members: Mapping[int, Mapping[str, Any]] | None = None,
    event: EventName | None = None,
    options: ClubOptions | None = None,
    **changes: Any,
) -> Table:
    """Return a table on which seat 0 has the first go of the second round; `members` says what is different.

    With an event, that is the only card played with.
    """
    given = members or {}
    people = [member(seat, given.get(seat, {})) for seat in range(seats)]
    owned = [cap for cap in CAPS[1:] for person in people for row_ in parts(person) if getattr(row_, cap)]
    owned += [pair.own for person in people for pair in person.shed]
    highest = changes.pop("highest", CAPS[min(5, max(CAPS.index(cap) for cap in ["orange", *owned]))])
    record = ClubRecord(
        ply=0,
        options=options or (ClubOptions(events=[event]) if event else QUIET),
        round=2,
        treasurer=0,
        stage="employing",
        turn=0,
        asking=None,
        event=event,
        events_left=[],
        highest=highest,
        competitions=["brown", "orange"],
        begun=[],
        rested=[],
        members=people,
        deal=None,
        answers=[None] * seats,
        schmiedel_lent=dwarfs(changes.pop("schmiedel_lent", "")),
        due=0,
        winners=[],
        ending=None,
    )
    return GAME.read(msgspec.structs.replace(record, **changes))


def parts(person: ClubMember) -> list[DwarfRow]:
    return [person.free, person.garden, person.lower, person.higher, person.lent]


def play(table: Table, seat: int, move: Move, script: Script = ()) -> Step:
    assert QUERIES.allows(table, seat, move), GAME.refuse(table, seat, move)
    written = GAME.read_outcomes([Draw(what=what, value=value) for what, value in script])
    return GAME.step(table, seat, GAME.encode(table, seat, move), ScriptedDice(written, FastDice(1)))


def after(table: Table, *moves: tuple[int, Move], script: Script = ()) -> Table:
    for number, (seat, move) in enumerate(moves):
        table = play(table, seat, move, script if number == len(moves) - 1 else ()).table
    return table


def club(table: Table) -> Club:
    assert isinstance(table, Club)
    return table


def view_of(table: Table, seat: int = -1) -> ClubView:
    view = GAME.view(table, seat)
    assert isinstance(view, ClubView)
    return view


def record_of(table: Table) -> ClubRecord:
    record = GAME.write(table)
    assert isinstance(record, ClubRecord)
    return record


def money(table: Table) -> list[int]:
    return [person.blossoms for person in record_of(table).members]


def caps(table: Table, seat: int, place: str = "free") -> list[str]:
    found: DwarfRow = getattr(record_of(table).members[seat], place)
    return [cap for cap in CAPS for _ in range(getattr(found, cap))]
