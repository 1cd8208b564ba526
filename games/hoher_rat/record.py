"""A council table written down in full and read back, with its invariants."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from games.core.bits import bit, has, members_of, nibble, nibbles
from games.core.dice import Dice
from games.core.game import BrokenRecordError
from games.hoher_rat.check import check
from games.hoher_rat.moves import ARGUMENTS, COLOURS
from games.hoher_rat.options import CouncilOptions
from games.hoher_rat.table.constants import PILE, RUNNING
from games.hoher_rat.table.council import Council, new_council
from games.hoher_rat.table.faction import CARDS, FIELDS, Faction, Player
from games.hoher_rat.view import (
    Arguments,
    CouncilRecord,
    CouncilView,
    FactionRecord,
    Piece,
    Pile,
    SeatRecord,
    Winner,
)

WINNERS: Final[tuple[Winner, ...]] = ("pro", "contra", "draw")
PIECES: Final = [(Piece(colour=colour, rank="follower"), Piece(colour=colour, rank="speaker")) for colour in COLOURS]
"""The follower and the speaker of each colour; a ring has no other pieces."""

ARGUMENTS_KEPT: Final = 4_096
"""Number of cached sets of arguments in words: most seats have few, and every view contains all of them."""

COURSE: Final = ("ply", "turn", "turns", "idle", "acted", "stirred", "voting")


def new(seats: int, options: CouncilOptions, dice: Dice) -> Council:
    """Set a table up (HR-1)."""
    return new_council(seats, options.turn_cap, options.idle_cap, dice)


def write(council: Council) -> CouncilRecord:
    """Write a table down in full."""
    return CouncilRecord(
        **course(council),
        factions=[FactionRecord(**pile_of(side)) for side in (council.pro, council.contra)],
        players=[
            SeatRecord(hand=cards_of(me.hand), arguments=arguments_of(me.arguments), shown=cards_of(me.shown))
            for me in map(council.player, range(council.seats))
        ],
        offered=cards_of(council.offered)[0] if council.offered else None,
    )


def read(record: CouncilRecord) -> Council:
    """Read a table back; raise BrokenRecordError if an invariant does not hold."""
    if len(record.players) not in {2, 4}:
        raise BrokenRecordError("HR-1", "seats_wrong", "/players")
    council = empty_table(len(record.players), record.ring)
    for index, (side, written) in enumerate(zip((council.pro, council.contra), record.factions, strict=True)):
        set_pile(side, written, f"/factions/{index}")
    for seat, holdings in enumerate(record.players):
        me = council.player(seat)
        side = council.side(seat)
        me.hand = set_of(holdings.hand, f"/players/{seat}/hand")
        me.shown = set_of(holdings.shown, f"/players/{seat}/shown")
        me.arguments = arguments_from(holdings.arguments)
        if me.hand & ~side.deck:
            card = cards_of(me.hand & ~side.deck)[0]
            raise BrokenRecordError("HR-14", "card_repeated", f"/players/{seat}/hand", card=card)
        side.deck &= ~me.hand
    council.offered = 0 if record.offered is None else bit(record.offered - 1)
    set_course(council, record)
    check(council)
    return council


def empty_table(seats: int, pieces: list[Piece | None]) -> Council:
    """Return a table with these pieces on the ring and no cards anywhere."""
    council = Council(seats, 0, Faction(PILE, Player(), Player()), Faction(PILE + 1, Player(), Player()))
    for field, piece in enumerate(pieces):
        if piece is not None:
            colour = COLOURS.index(piece.colour)
            side = council.side(colour // 2)
            side.put(field, colour % 2 == 1)
            if piece.rank == "speaker":
                side.speakers |= bit(field)
    return council


def course(council: Council) -> dict[str, Any]:
    """Return the public parts that views and records share, by name."""
    known = {name: getattr(council, name) for name in COURSE}
    winner = None if council.winner == RUNNING else WINNERS[council.winner]
    return known | {"options": options(council), "ring": ring(council), "winner": winner}


def set_course(council: Council, written: CouncilRecord | CouncilView) -> None:
    """Set the seat on turn and the state of the game."""
    for name in COURSE:
        setattr(council, name, getattr(written, name))
    council.winner = RUNNING if written.winner is None else WINNERS.index(written.winner)
    council.turn_cap = written.options.turn_cap
    council.idle_cap = written.options.idle_cap


def pile_of(side: Faction) -> dict[str, Any]:
    """Return the public knowledge of a faction's cards, by name (HR-15, HR-D24)."""
    known = {"discard": cards_of(side.discard), "elders": cards_of(side.elders)}
    return {**known, "elders_low": side.low, "elders_high": side.high}


def set_pile(side: Faction, written: FactionRecord | Pile, pointer: str) -> None:
    """Set the public knowledge of a faction's cards; all others lie in the deck."""
    side.discard = set_of(written.discard, f"{pointer}/discard")
    side.elders = set_of(written.elders, f"{pointer}/elders")
    side.low = written.elders_low
    side.high = written.elders_high
    side.deck = CARDS & ~side.discard


# Between sets and lists.


def cards_of(cards: int) -> list[int]:
    """Return a set of cards or fields as numbers from 1."""
    return [int(card) + 1 for card in members_of(cards)] if cards else []


def set_of(cards: list[int], pointer: str) -> int:
    """Return a list of cards as a set; a card that stands twice breaks HR-14."""
    found = 0
    for card in cards:
        if has(found, card - 1):
            raise BrokenRecordError("HR-14", "card_repeated", pointer, card=card)
        found |= bit(card - 1)
    return found


@lru_cache(ARGUMENTS_KEPT)
def arguments_of(packed: int) -> Arguments:
    """Return packed arguments by colour."""
    return Arguments(**{argument: nibble(packed, hue) for hue, argument in enumerate(ARGUMENTS)})


@lru_cache(ARGUMENTS_KEPT)
def arguments_from(arguments: Arguments) -> int:
    """Return arguments packed; more than a place can hold are cut to a number that is refused (HR-31)."""
    return sum(nibbles(min(getattr(arguments, argument), 15), hue) for hue, argument in enumerate(ARGUMENTS))


def ring(council: Council) -> list[Piece | None]:
    """Return the pieces on fields 1 to 30 (HR-6)."""
    found: list[Piece | None] = [None] * FIELDS
    for index, pieces in enumerate(PIECES):
        side = council.side(index // 2)
        for field in members_of(side.of(index % 2 == 1)):
            found[field] = pieces[has(side.speakers, field)]
    return found


def options(council: Council) -> CouncilOptions:
    """Return the options a table is played with."""
    return CouncilOptions(turn_cap=council.turn_cap, idle_cap=council.idle_cap)
