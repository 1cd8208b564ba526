"""What becomes known by a move, and to whom; compiled.

A note's kind is the index of its event in `events.EVENTS`; kinds of cards are packed by 4 bits, the first lowest, as
their number plus one, so that 0 is none or unknown.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from games.core.bits import at, bit, first, has, rest
from games.core.table import EVERYONE, Journal
from games.wichtel.table.cards import kind_of, kind_of_action
from games.wichtel.table.codes import BRIBE
from games.wichtel.table.sitting import Sitting

TOLD_ROUND_BEGUN: Final = 0
TOLD_DEALT: Final = 1
TOLD_MARCHED: Final = 2
TOLD_TURNED: Final = 3
TOLD_PLAYED: Final = 4
TOLD_CALLED: Final = 5
TOLD_OFFERED: Final = 6
TOLD_SWAPPED: Final = 7
TOLD_COURTED: Final = 8
TOLD_BRIBE_LAID: Final = 9
TOLD_BRIBE_PASSED: Final = 10
TOLD_OPENED: Final = 11
TOLD_VETOED: Final = 12
TOLD_SPARED: Final = 13
TOLD_ROLLED: Final = 14
TOLD_LOOKED_AGAIN: Final = 15
TOLD_REFUSED: Final = 16
TOLD_WON: Final = 17
TOLD_GIVEN: Final = 18
TOLD_LAID: Final = 19
TOLD_END_DECLINED: Final = 20
TOLD_FREED: Final = 21
TOLD_DIE_PASSED: Final = 22
TOLD_ROUND_ENDED: Final = 23
TOLD_SCORED: Final = 24
TOLD_CROWNED: Final = 25

SHIFTED: Final = 0x8000
"""What is added to points, which may be negative, before they are packed."""


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


def tell_begun(table: Sitting, journal: Journal) -> None:
    """Tell all of a new round and who walks the square."""
    found: i64 = 0
    place: i64
    for place in range(table.seats):
        found |= at(kind_of(table.cell(table.start + place)) + 1, 4 * place)
    journal.tell(EVERYONE, TOLD_ROUND_BEGUN, table.round, table.turn, found)


def tell_dealt(table: Sitting, seat: i64, journal: Journal) -> None:
    """Tell a seat what it was dealt (HW-6, HW-10)."""
    me = table.seat(seat)
    journal.tell(bit(seat), TOLD_DEALT, seat, packed(me.hand), packed_actions(me.actions))


def tell_march(table: Sitting, went: i64, came: i64, back: bool, journal: Journal) -> None:
    """Tell all who left the square and who came, by their cells; a negative cell says that nobody walked."""
    way: i64 = 0
    if back:
        way = 1
    if went < 0:
        journal.tell(EVERYONE, TOLD_MARCHED, way, 0, 0)
    else:
        journal.tell(EVERYONE, TOLD_MARCHED, way, kind_of(table.cell(went)) + 1, kind_of(table.cell(came)) + 1)


def tell_turned(journal: Journal) -> None:
    """Tell all that the march has turned round."""
    journal.tell(EVERYONE, TOLD_TURNED, 0, 0, 0)


def tell_played(seat: i64, kind: i64, place: i64, journal: Journal) -> None:
    """Tell all of a card of movement."""
    journal.tell(EVERYONE, TOLD_PLAYED, seat, kind + 1, place)


def tell_call(table: Sitting, seat: i64, gnome: i64, drawn: i64, journal: Journal) -> None:
    """Tell the caller both gnomes, and others the drawn one where they have seen it before (HW-D23)."""
    knowing: i64 = 0
    other: i64
    for other in range(table.seats):
        if table.seat(other).has_laid(drawn):
            knowing |= bit(other)
    if has(table.open, drawn):
        knowing = EVERYONE
    knowing &= ~bit(seat)
    journal.tell(bit(seat), TOLD_CALLED, seat, kind_of(gnome) + 1, kind_of(drawn) + 1)
    if knowing:
        journal.tell(knowing, TOLD_CALLED, seat, 0, kind_of(drawn) + 1)
    if EVERYONE & ~knowing & ~bit(seat):
        journal.tell(EVERYONE & ~knowing & ~bit(seat), TOLD_CALLED, seat, 0, 0)


def tell_offer(seat: i64, partner: i64, kind: i64, journal: Journal) -> None:
    """Tell the giver which gnome is on its way; the partner has not seen it yet (HW-D12)."""
    journal.tell(bit(seat), TOLD_OFFERED, seat, partner, kind + 1)
    journal.tell(EVERYONE & ~bit(seat), TOLD_OFFERED, seat, partner, 0)


def tell_swap(seat: i64, partner: i64, given: i64, returned: i64, journal: Journal) -> None:
    """Tell the two of a swap both gnomes, and others that it was made (HW-D23)."""
    both: i64 = bit(seat) | bit(partner)
    pair: i64 = (kind_of(given) + 1) * 16 + kind_of(returned) + 1
    journal.tell(both, TOLD_SWAPPED, seat, partner, pair)
    journal.tell(EVERYONE & ~both, TOLD_SWAPPED, seat, partner, 0)


def tell_courted(table: Sitting, seat: i64, journal: Journal) -> None:
    """Tell all where the die stands."""
    journal.tell(EVERYONE, TOLD_COURTED, seat, table.place + 1, kind_of(table.cell(table.start + table.place)) + 1)


def tell_bribe(seat: i64, kind: i64, card: i64, journal: Journal) -> None:
    """Tell all that a bribe lies there or none, and its owner which."""
    if kind != BRIBE:
        journal.tell(EVERYONE, TOLD_BRIBE_PASSED, seat, 0, 0)
        return
    journal.tell(bit(seat), TOLD_BRIBE_LAID, seat, card + 1, 0)
    journal.tell(EVERYONE & ~bit(seat), TOLD_BRIBE_LAID, seat, 0, 0)


def tell_opened(table: Sitting, journal: Journal) -> None:
    """Tell all the opened bribes, by seat (HW-22)."""
    found: i64 = 0
    seat: i64
    for seat in range(table.seats):
        me = table.seat(seat)
        if me.bribe:
            found |= at(kind_of_action(me.bribe - 1) + 1, 4 * seat)
    journal.tell(EVERYONE, TOLD_OPENED, found, table.seats, 0)


def tell_veto(seat: i64, target: i64, kind: i64, journal: Journal) -> None:
    """Tell all whose bribe is taken out."""
    journal.tell(EVERYONE, TOLD_VETOED, seat, target, kind + 1)


def tell_spared(seat: i64, journal: Journal) -> None:
    """Tell all that a seat lets the bribes stand."""
    journal.tell(EVERYONE, TOLD_SPARED, seat, 0, 0)


def tell_roll(table: Sitting, wanted: i64, enough: bool, journal: Journal) -> None:
    """Tell all what was rolled, what it takes, and whether it is enough."""
    success: i64 = 0
    if enough:
        success = 1
    journal.tell(EVERYONE, TOLD_ROLLED, table.turn, table.roll, wanted * 2 + success)


def tell_again(seat: i64, journal: Journal) -> None:
    """Tell all that a seat looks again."""
    journal.tell(EVERYONE, TOLD_LOOKED_AGAIN, seat, 0, 0)


def tell_refused(table: Sitting, journal: Journal) -> None:
    """Tell all that the gnome stays where it is."""
    journal.tell(EVERYONE, TOLD_REFUSED, table.turn, kind_of(table.cell(table.start + table.place)) + 1, 0)


def tell_won(table: Sitting, winner: i64, briber: i64, kind: i64, journal: Journal) -> None:
    """Tell all who wins the gnome, and which bribe of whose is spent."""
    gnome: i64 = kind_of(table.cell(table.start + table.place)) + 1
    journal.tell(EVERYONE, TOLD_WON, winner, gnome, (briber + 1) * 16 + kind + 1)


def tell_given(table: Sitting, seat: i64, taker: i64, journal: Journal) -> None:
    """Tell all to whom the gnome is passed on."""
    journal.tell(EVERYONE, TOLD_GIVEN, seat, taker, kind_of(table.cell(table.start + table.place)) + 1)


def tell_laid(seat: i64, kind: i64, place: i64, journal: Journal) -> None:
    """Tell all which gnome takes the free place."""
    journal.tell(EVERYONE, TOLD_LAID, seat, kind + 1, place + 1)


def tell_end_declined(seat: i64, journal: Journal) -> None:
    """Tell all that a seat lets the round go on."""
    journal.tell(EVERYONE, TOLD_END_DECLINED, seat, 0, 0)


def tell_freed(seat: i64, journal: Journal) -> None:
    """Tell all who freed the officer."""
    journal.tell(EVERYONE, TOLD_FREED, seat, 0, 0)


def tell_passed(seat: i64, following: i64, journal: Journal) -> None:
    """Tell all whose turn it is now."""
    journal.tell(EVERYONE, TOLD_DIE_PASSED, seat, following, 0)


def tell_end(table: Sitting, ender: i64, journal: Journal) -> None:
    """Tell all who ended the round; nobody did where it was cut off."""
    journal.tell(EVERYONE, TOLD_ROUND_ENDED, table.round, ender + 1, 0)


def tell_scored(table: Sitting, seat: i64, result: i64, extra: i64, title: i64, journal: Journal) -> None:
    """Tell all a retinue, its title, its result, what is added to it, and the total (HW-40)."""
    me = table.seat(seat)
    points: i64 = at(result + SHIFTED, 8) | at(me.points + SHIFTED, 24)
    journal.tell(EVERYONE, TOLD_SCORED, seat, at(packed(me.hand), 4) | title, points | extra)


def tell_chief(table: Sitting, journal: Journal) -> None:
    """Tell all who has won."""
    rewards = table.rewards()
    winners: i64 = 0
    seat: i64
    for seat in range(table.seats):
        if rewards[seat] > 0.0:
            winners |= bit(seat)
    journal.tell(EVERYONE, TOLD_CROWNED, winners, 0, 0)
