"""The invariants of a council table, each with its rule."""

from __future__ import annotations

from games.core.bits import count
from games.core.game import BrokenRecordError
from games.hoher_rat.moves import ARGUMENTS, COLOURS
from games.hoher_rat.table.constants import BANK, DRAW, FOUR, RUNNING, SIXTEEN
from games.hoher_rat.table.council import Council
from games.hoher_rat.table.faction import FOLLOWERS, HAND, LIMIT, NUMBERS, Faction
from games.hoher_rat.view import FACTIONS


def check(council: Council) -> None:
    """Raise BrokenRecordError if a table breaks an invariant of the game."""
    if council.turn >= council.seats:
        raise BrokenRecordError("HR-D1", "turn_out_of_range", "/turn")
    if council.acted and not council.stirred:
        raise BrokenRecordError("HR-20", "acted_wrong", "/stirred")
    check_pieces(council)
    check_arguments(council)
    check_conference(council)
    for index, side in enumerate((council.pro, council.contra)):
        check_hands(council, index, side)
        check_knowledge(council, index, side)
    check_end(council)


def check_pieces(council: Council) -> None:
    """Ten followers and one speaker of each colour (HR-3); a full ring has begun the vote (HR-56)."""
    for index, colour in enumerate(COLOURS):
        side = council.side(index // 2)
        fields = side.of(index % 2 == 1)
        if count(fields & ~side.speakers) > FOLLOWERS:
            raise BrokenRecordError("HR-3", "followers", "/ring", colour=colour)
        if count(fields & side.speakers) > 1:
            raise BrokenRecordError("HR-3", "speakers", "/ring", colour=colour)
    if not council.voting and council.pro.fields() | council.contra.fields() == NUMBERS:
        raise BrokenRecordError("HR-56", "vote_missing", "/voting")


def check_arguments(council: Council) -> None:
    """At most six arguments of a colour for a faction (HR-31), and ten in all (HR-4)."""
    for hue, argument in enumerate(ARGUMENTS):
        total = 0
        for index, faction in enumerate(FACTIONS):
            side = council.side(index)
            owned = side.one.held(hue) + side.two.held(hue)
            if owned > LIMIT:
                raise BrokenRecordError("HR-31", "arguments_limit", "/players", argument=argument, faction=faction)
            total += owned
        if total > BANK:
            raise BrokenRecordError("HR-4", "arguments_total", "/players", argument=argument)


def check_conference(council: Council) -> None:
    """Only after a partner of four has conferred, and with a card that he gave (HR-41, HR-D20)."""
    if council.offered == 0:
        return
    partner = council.player(council.partner(council.turn))
    fits = council.seats == 4 and council.acted and council.winner == RUNNING
    if not fits or not council.offered & partner.hand & partner.shown:
        raise BrokenRecordError("HR-41", "offered_wrong", "/offered")


def check_hands(council: Council, index: int, side: Faction) -> None:
    """Check that each player has three cards, without a card on its way between partners (HR-14, HR-41)."""
    for seat in range(index, council.seats, 2):
        size = HAND
        if council.offered and seat == council.turn:
            size -= 1
        if council.offered and seat == council.partner(council.turn):
            size += 1
        if count(council.player(seat).hand) != size:
            raise BrokenRecordError("HR-14", "hand_size", f"/players/{seat}/hand", seat=seat)
    if side.one.hand & side.two.hand or (side.one.hand | side.two.hand | side.discard) & side.deck:
        raise BrokenRecordError("HR-14", "card_count", f"/factions/{index}", faction=FACTIONS[index])


def check_range(council: Council, index: int, side: Faction) -> None:
    """Compare the public knowledge of the elders with the sizes of the hands (HR-D24)."""
    elders = count(side.elders)
    second = HAND if council.seats == FOUR else 0
    if side.elders & side.discard or not max(elders - second, 0) <= side.low <= side.high <= min(elders, HAND):
        raise BrokenRecordError("HR-D24", "elders_wrong", f"/factions/{index}/elders")


def check_knowledge(council: Council, index: int, side: Faction) -> None:
    """Compare the knowledge of hands with the hands (HR-D21, HR-D24)."""
    check_range(council, index, side)
    held = count(before_offer(council, index) & side.elders)
    if side.elders & ~(side.one.hand | side.two.hand) or not side.low <= held <= side.high:
        raise BrokenRecordError("HR-D24", "elders_wrong", f"/factions/{index}/elders")
    for seat in range(index, council.seats, 2):
        me = council.player(seat)
        known = me.hand & side.elders if council.seats > 2 else 0
        if me.shown & ~me.hand or known & ~me.shown or (council.seats == 2 and me.shown):
            raise BrokenRecordError("HR-D21", "shown_wrong", f"/players/{seat}/shown")


def before_offer(council: Council, seat: int) -> int:
    """Return a hand as it was before a card was on its way between partners."""
    hand = council.player(seat).hand
    if seat == council.turn:
        return hand | council.offered
    if seat == council.partner(council.turn):
        return hand & ~council.offered
    return hand


def check_end(council: Council) -> None:
    """Hold the winner against the blocks (HR-19) and the caps on turns (HR-D30)."""
    winner = council.winner
    for index in range(2):
        if council.side(index).longest() >= SIXTEEN and winner != index:
            raise BrokenRecordError("HR-19", "winner_wrong", "/winner")
    capped = (0 < council.turn_cap <= council.turns) or (0 < council.idle_cap <= council.idle)
    if winner == RUNNING:
        if capped:
            raise BrokenRecordError("HR-D30", "cap_passed", "/turns")
        return
    by_block = winner != DRAW and council.side(winner).longest() >= SIXTEEN
    if not by_block and not (capped and winner == council.leader()):
        raise BrokenRecordError("HR-19", "winner_wrong", "/winner")
