"""Events of a move with their hearers; compiled.

A note's kind is the index of its event in `events.EVENTS`. Kinds of cards are packed by 4 bits, the first lowest, as
their number plus one, so that 0 is none or unknown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mypy_extensions import i64

from games.core.bits import at, bit, first, has, rest
from games.core.table import EVERYONE, Journal
from games.wichtel.table.cards import kind_of, kind_of_action
from games.wichtel.table.codes import BRIBE

if TYPE_CHECKING:
    from games.wichtel.table.village import Village

NOTE_ROUND_BEGUN: Final = 0
NOTE_DEALT: Final = 1
NOTE_MARCHED: Final = 2
NOTE_TURNED: Final = 3
NOTE_PLAYED: Final = 4
NOTE_CALLED: Final = 5
NOTE_OFFERED: Final = 6
NOTE_SWAPPED: Final = 7
NOTE_COURTED: Final = 8
NOTE_BRIBE_LAID: Final = 9
NOTE_BRIBE_PASSED: Final = 10
NOTE_OPENED: Final = 11
NOTE_VETOED: Final = 12
NOTE_SPARED: Final = 13
NOTE_ROLLED: Final = 14
NOTE_REPEATED_LOOK: Final = 15
NOTE_REFUSED: Final = 16
NOTE_WON: Final = 17
NOTE_GIVEN: Final = 18
NOTE_LAID: Final = 19
NOTE_END_DECLINED: Final = 20
NOTE_FREED: Final = 21
NOTE_DIE_PASSED: Final = 22
NOTE_ROUND_ENDED: Final = 23
NOTE_SCORED: Final = 24
NOTE_CROWNED: Final = 25

SHIFTED: Final = 0x8000
"""Offset of points, which may be negative, before they are packed."""


def announce(journal: Journal | None, kind: i64, a: i64, b: i64, c: i64) -> None:
    """Note for everybody what a move has made known, if anybody reads the journal."""
    if journal is not None:
        journal.tell(EVERYONE, kind, a, b, c)


def packed(gnomes: i64) -> i64:
    """Return the kinds of a set of gnomes, packed."""
    found: i64 = 0
    place: i64 = 0
    while gnomes:
        found |= at(kind_of(first(gnomes)) + 1, 4 * place)
        gnomes = rest(gnomes)
        place += 1
    return found


def packed_actions(cards: i64) -> i64:
    """Return the kinds of a set of action cards, packed."""
    found: i64 = 0
    place: i64 = 0
    while cards:
        found |= at(kind_of_action(first(cards)) + 1, 4 * place)
        cards = rest(cards)
        place += 1
    return found


def note_begun(table: Village, journal: Journal) -> None:
    """Record a new round and the gnomes on the square for all."""
    found: i64 = 0
    place: i64
    for place in range(table.seats):
        found |= at(kind_of(table.cell(table.start + place)) + 1, 4 * place)
    journal.tell(EVERYONE, NOTE_ROUND_BEGUN, table.round, table.turn, found)


def note_dealt(table: Village, seat: i64, journal: Journal) -> None:
    """Note for a seat what it was dealt (HW-6, HW-10)."""
    me = table.seat(seat)
    journal.tell(bit(seat), NOTE_DEALT, seat, packed(me.hand), packed_actions(me.actions))


def note_march(table: Village, went: i64, came: i64, back: bool, journal: Journal) -> None:
    """Record for all the gnomes that left the square and came, by their cells; a negative cell means none."""
    way: i64 = 0
    if back:
        way = 1
    if went < 0:
        journal.tell(EVERYONE, NOTE_MARCHED, way, 0, 0)
    else:
        journal.tell(EVERYONE, NOTE_MARCHED, way, kind_of(table.cell(went)) + 1, kind_of(table.cell(came)) + 1)


def note_call(table: Village, seat: i64, gnome: i64, drawn: i64, journal: Journal) -> None:
    """Note for the caller both gnomes, and others the drawn one where they have seen it before (HW-D23)."""
    knowing: i64 = 0
    other: i64
    for other in range(table.seats):
        if has(table.seat(other).laid, drawn):
            knowing |= bit(other)
    if has(table.open, drawn):
        knowing = EVERYONE
    knowing &= ~bit(seat)
    journal.tell(bit(seat), NOTE_CALLED, seat, kind_of(gnome) + 1, kind_of(drawn) + 1)
    if knowing:
        journal.tell(knowing, NOTE_CALLED, seat, 0, kind_of(drawn) + 1)
    if EVERYONE & ~knowing & ~bit(seat):
        journal.tell(EVERYONE & ~knowing & ~bit(seat), NOTE_CALLED, seat, 0, 0)


def note_offer(seat: i64, partner: i64, kind: i64, journal: Journal) -> None:
    """Record the passing gnome for its giver; the partner has not seen it yet (HW-D12)."""
    journal.tell(bit(seat), NOTE_OFFERED, seat, partner, kind + 1)
    journal.tell(EVERYONE & ~bit(seat), NOTE_OFFERED, seat, partner, 0)


def note_swap(seat: i64, partner: i64, given: i64, returned: i64, journal: Journal) -> None:
    """Note for the two of a swap both gnomes, and others that it was made (HW-D23)."""
    both: i64 = bit(seat) | bit(partner)
    pair: i64 = (kind_of(given) + 1) * 16 + kind_of(returned) + 1
    journal.tell(both, NOTE_SWAPPED, seat, partner, pair)
    journal.tell(EVERYONE & ~both, NOTE_SWAPPED, seat, partner, 0)


def note_bribe(seat: i64, kind: i64, card: i64, journal: Journal) -> None:
    """Record for all whether there is a bribe, and its kind for its owner."""
    if kind != BRIBE:
        journal.tell(EVERYONE, NOTE_BRIBE_PASSED, seat, 0, 0)
        return
    journal.tell(bit(seat), NOTE_BRIBE_LAID, seat, card + 1, 0)
    journal.tell(EVERYONE & ~bit(seat), NOTE_BRIBE_LAID, seat, 0, 0)


def note_opened(table: Village, journal: Journal) -> None:
    """Record the opened bribes for all, by seat (HW-22)."""
    found: i64 = 0
    seat: i64
    for seat in range(table.seats):
        me = table.seat(seat)
        if me.bribe:
            found |= at(kind_of_action(me.bribe - 1) + 1, 4 * seat)
    journal.tell(EVERYONE, NOTE_OPENED, found, table.seats, 0)


def note_roll(table: Village, wanted: i64, enough: bool, journal: Journal) -> None:
    """Record the roll and the required number for all, with the result."""
    success: i64 = 0
    if enough:
        success = 1
    journal.tell(EVERYONE, NOTE_ROLLED, table.turn, table.roll, wanted * 2 + success)


def note_won(table: Village, winner: i64, briber: i64, kind: i64, journal: Journal) -> None:
    """Record for all the winner of the gnome, and the spent bribe with its owner."""
    gnome: i64 = kind_of(table.courted()) + 1
    journal.tell(EVERYONE, NOTE_WON, winner, gnome, (briber + 1) * 16 + kind + 1)


def note_scored(table: Village, seat: i64, result: i64, extra: i64, title: i64, journal: Journal) -> None:
    """Record for all a retinue, its title, its result, its bonus, and the total (HW-40)."""
    me = table.seat(seat)
    points: i64 = at(result + SHIFTED, 8) | at(me.points + SHIFTED, 24)
    journal.tell(EVERYONE, NOTE_SCORED, seat, at(packed(me.hand), 4) | title, points | extra)


def note_chief(table: Village, journal: Journal) -> None:
    """Record the winner for all."""
    rewards = table.rewards()
    winners: i64 = 0
    seat: i64
    for seat in range(table.seats):
        if rewards[seat] > 0.0:
            winners |= bit(seat)
    journal.tell(EVERYONE, NOTE_CROWNED, winners, 0, 0)
