"""A council table written down in full and read back, with its invariants."""

from __future__ import annotations

from typing import Final

from games.core.bits import bit, count, has, members_of, nibble, nibbles
from games.core.dice import Dice
from games.core.game import BrokenRecordError
from games.hoher_rat.moves import COLOURS, HUES
from games.hoher_rat.table.council import Council, new_council
from games.hoher_rat.table.faction import CARDS, FIELDS, FOLLOWERS, HAND, LIMIT, NUMBERS, Faction
from games.hoher_rat.table.sitting import BANK, DRAW, FOUR, PILE, RUNNING, SIXTEEN, nobody
from games.hoher_rat.view import (
    FACTIONS,
    Arguments,
    CouncilOptions,
    CouncilRecord,
    CouncilView,
    FactionRecord,
    Piece,
    SeatRecord,
    Winner,
)

WINNERS: Final[tuple[Winner, ...]] = ("pro", "contra", "draw")
ARGUMENTS: Final = HUES[:5]


def new(seats: int, options: CouncilOptions, dice: Dice) -> Council:
    """Set a table up (HR-1)."""
    return new_council(seats, options.turn_cap, options.idle_cap, dice)


def write(council: Council) -> CouncilRecord:
    """Write a table down in full."""
    return CouncilRecord(
        ply=council.ply,
        options=options(council),
        turn=council.turn,
        turns=council.turns,
        idle=council.idle,
        acted=council.acted,
        stirred=council.stirred,
        voting=council.voting,
        ring=ring(council),
        factions=[
            FactionRecord(
                discard=cards_of(side.discard),
                elders=cards_of(side.elders),
                elders_low=side.low,
                elders_high=side.high,
            )
            for side in (council.pro, council.contra)
        ],
        players=[
            SeatRecord(hand=cards_of(me.hand), arguments=arguments_of(me.arguments), shown=cards_of(me.shown))
            for me in map(council.player, range(council.seats))
        ],
        offered=cards_of(council.offered)[0] if council.offered else None,
        winner=winner_of(council),
    )


def read(record: CouncilRecord) -> Council:
    """Read a table back; raise BrokenRecordError where an invariant does not hold."""
    if len(record.players) not in {2, 4}:
        raise BrokenRecordError("HR-1", "seats_wrong", "/players")
    council = begun(len(record.players), record.ring)
    for index, (side, written) in enumerate(zip((council.pro, council.contra), record.factions, strict=True)):
        side.discard = set_of(written.discard, f"/factions/{index}/discard")
        side.elders = set_of(written.elders, f"/factions/{index}/elders")
        side.low = written.elders_low
        side.high = written.elders_high
        side.deck = CARDS & ~side.discard
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


def begun(seats: int, pieces: list[Piece | None]) -> Council:
    """Return a table with these pieces on the ring and no cards anywhere."""
    council = Council(seats, 0, Faction(PILE, nobody(), nobody()), Faction(PILE + 1, nobody(), nobody()))
    for field, piece in enumerate(pieces):
        if piece is not None:
            colour = COLOURS.index(piece.colour)
            side = council.side(colour // 2)
            side.put(field, colour % 2 == 1)
            if piece.rank == "speaker":
                side.speakers |= bit(field)
    return council


def set_course(council: Council, written: CouncilRecord | CouncilView) -> None:
    """Set whose turn it is and how the game stands."""
    council.ply = written.ply
    council.turn = written.turn
    council.turns = written.turns
    council.idle = written.idle
    council.acted = written.acted
    council.stirred = written.stirred
    council.voting = written.voting
    council.winner = RUNNING if written.winner is None else WINNERS.index(written.winner)
    council.turn_cap = written.options.turn_cap
    council.idle_cap = written.options.idle_cap


# The invariants, each with its rule.


def check(council: Council) -> None:
    """Raise BrokenRecordError where a table breaks an invariant of the game."""
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
    """Three cards to each player, but for a card on its way between partners (HR-14, HR-41)."""
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
    """Hold what everyone knows of the elders against the sizes of the hands (HR-D24)."""
    elders = count(side.elders)
    second = HAND if council.seats == FOUR else 0
    if side.elders & side.discard or not max(elders - second, 0) <= side.low <= side.high <= min(elders, HAND):
        raise BrokenRecordError("HR-D24", "elders_wrong", f"/factions/{index}/elders")


def check_knowledge(council: Council, index: int, side: Faction) -> None:
    """Hold what is known of hands against the hands (HR-D21, HR-D24)."""
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


# Between sets and lists.


def cards_of(cards: int) -> list[int]:
    """Return a set of cards or fields as numbers from 1."""
    return [int(card) + 1 for card in members_of(cards)]


def set_of(cards: list[int], pointer: str) -> int:
    """Return a list of cards as a set; a card that stands twice breaks HR-14."""
    found = 0
    for card in cards:
        if has(found, card - 1):
            raise BrokenRecordError("HR-14", "card_repeated", pointer, card=card)
        found |= bit(card - 1)
    return found


def arguments_of(packed: int) -> Arguments:
    """Return packed arguments by colour."""
    return Arguments(**{argument: nibble(packed, hue) for hue, argument in enumerate(ARGUMENTS)})


def arguments_from(arguments: Arguments) -> int:
    """Return arguments packed; more than a place can hold are cut to a number that is refused (HR-31)."""
    return sum(nibbles(min(getattr(arguments, argument), 15), hue) for hue, argument in enumerate(ARGUMENTS))


def ring(council: Council) -> list[Piece | None]:
    """Return what stands on fields 1 to 30 (HR-6)."""
    return [piece(council, field) for field in range(FIELDS)]


def piece(council: Council, field: int) -> Piece | None:
    """Return what stands on a field."""
    for index, colour in enumerate(COLOURS):
        side = council.side(index // 2)
        if has(side.of(index % 2 == 1), field):
            return Piece(colour=colour, rank="speaker" if has(side.speakers, field) else "follower")
    return None


def options(council: Council) -> CouncilOptions:
    """Return the options a table is played with."""
    return CouncilOptions(turn_cap=council.turn_cap, idle_cap=council.idle_cap)


def winner_of(council: Council) -> Winner | None:
    """Return who has won, or None while the game runs."""
    return None if council.winner == RUNNING else WINNERS[council.winner]
