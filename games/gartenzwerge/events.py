"""Events in the club, for people and the wire; the index of EVENTS is the kind of a journal's note."""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta

from games.core.bits import nibble, part
from games.core.game import Event, Heard
from games.core.table import EVERYONE
from games.gartenzwerge.moves import CAPS, SALEABLE, Amount, Cap, Partner, Saleable, Seat, Worker, worker
from games.gartenzwerge.options import EventName
from games.gartenzwerge.table import notes
from games.gartenzwerge.table.caps import CLUB_GRANT, LUXURY_TAX, MEMBERSHIP_FEE
from games.gartenzwerge.table.club import Club
from games.gartenzwerge.table.constants import GRANT, NOT_DRAWN, NOTHING, OVER, SCHMIEDEL, SEAL_BITS, START, STEP
from games.gartenzwerge.view import ENDINGS, Ending, Job, Money, SealedAnswer, event_of, seats_of


class RoundBegun(Event, frozen=True, kw_only=True, tag="round_begun"):
    """A round has started with a treasurer, two competitions and an event (GZ-13 to GZ-18)."""

    round: int
    treasurer: Seat
    lower: Worker
    higher: Worker
    event: EventName | None = None


class MoneyTaken(Event, frozen=True, tag="money_taken"):
    """A seat paid a fee or a tax (GZ-D37)."""

    seat: Seat
    amount: Money


class MoneyGiven(Event, frozen=True, tag="money_given"):
    """A seat received a grant (GZ-D37)."""

    seat: Seat
    amount: Money


class GreysReturned(Event, frozen=True, tag="greys_returned"):
    """A seat returned grey dwarfs (GZ-D38)."""

    seat: Seat
    number: int


class Gardened(Event, frozen=True, tag="gardened"):
    """A dwarf does garden work, by choice or because there was no deal (GZ-24, GZ-32, GZ-35)."""

    seat: Seat
    cap: Worker
    wage: Money


class PartnerSought(Event, frozen=True, tag="partner_sought"):
    """A seat seeks a partner (GZ-25)."""

    seat: Seat
    cap: Worker
    demand: Worker


class DwarfShown(Event, frozen=True, kw_only=True, tag="dwarf_shown"):
    """A seat showed the seeker a dwarf, or none (GZ-26)."""

    seat: Seat
    cap: Worker | None = None


class DwarfOffered(Event, frozen=True, tag="dwarf_offered"):
    """A seat offers a dwarf for breeding (GZ-33)."""

    seat: Seat
    cap: Worker


class AmountSealed(Event, frozen=True, tag="amount_sealed"):
    """A seat sealed its answer, which stays hidden from the others (GZ-28). Null is no bid."""

    seat: Seat
    amount: Amount | None


class AmountsOpened(Event, frozen=True, tag="amounts_opened"):
    """All amounts are revealed: that of the seat on turn, those of the others, and Herr Schmiedel's (GZ-28, GZ-56)."""

    seat: Seat
    job: Job
    own: Amount
    answers: Annotated[list[SealedAnswer], Meta(max_length=5)]
    schmiedel: Money | None


class DealStruck(Event, frozen=True, tag="deal_struck"):
    """A search or an offer led to a deal at a price (GZ-29, GZ-34)."""

    seat: Seat
    job: Job
    partner: Partner
    price: Money


class PairFormed(Event, frozen=True, tag="pair_formed"):
    """A seat has a pair in the shed: its own dwarf, and the mate with its owner (GZ-30)."""

    seat: Seat
    own: Worker
    mate: Worker
    owner: Partner


class DwarfSold(Event, frozen=True, tag="dwarf_sold"):
    """A seat sold a dwarf (GZ-36)."""

    seat: Seat
    cap: Saleable
    price: Money


class DwarfsTraded(Event, frozen=True, tag="dwarfs_traded"):
    """A seat traded two dwarfs for one of the next cap (GZ-37)."""

    seat: Seat
    cap: Worker
    gained: Cap


class CompetitionEntered(Event, frozen=True, tag="competition_entered"):
    """A seat sent a dwarf to a competition (GZ-40)."""

    seat: Seat
    cap: Worker
    competition: Worker


class GreysLeft(Event, frozen=True, tag="greys_left"):
    """A seat leaves its grey dwarfs for the rest of the phase (GZ-D11)."""

    seat: Seat


class DwarfBred(Event, frozen=True, kw_only=True, tag="dwarf_bred"):
    """A pair has bred: the drawn cards, and the new dwarf unless the supply has none (GZ-41, GZ-D21, GZ-D40)."""

    seat: Seat
    own: Worker
    mate: Worker
    drawn: list[Cap]
    gained: Cap | None = None


class CompetitionJudged(Event, frozen=True, tag="competition_judged"):
    """A competition was won by the highest dwarfs, each with a share (GZ-45, GZ-46).

    `house` is the two cards of the stack, `best` the winning rank, `winners` the seats, once for each dwarf.
    """

    competition: Worker
    house: list[Cap]
    best: Cap
    share: Money
    winners: list[Seat]


class UpkeepPaid(Event, frozen=True, tag="upkeep_paid"):
    """A seat paid for its dwarfs as far as it could (GZ-49, GZ-D27)."""

    seat: Seat
    paid: Money
    due: Money


class SoldForUpkeep(Event, frozen=True, tag="sold_for_upkeep"):
    """A seat sold a dwarf to pay the upkeep (GZ-50)."""

    seat: Seat
    cap: Saleable
    price: Money


class MemberOut(Event, frozen=True, tag="member_out"):
    """A seat is out of the game (GZ-D30)."""

    seat: Seat


class ClubDecided(Event, frozen=True, tag="club_decided"):
    """The game is over (GZ-51, GZ-D5, GZ-D30)."""

    winners: list[Seat]
    ending: Ending


EVENTS: Final = (
    RoundBegun,
    MoneyTaken,
    MoneyGiven,
    GreysReturned,
    Gardened,
    PartnerSought,
    DwarfShown,
    DwarfOffered,
    AmountSealed,
    AmountsOpened,
    DealStruck,
    PairFormed,
    DwarfSold,
    DwarfsTraded,
    CompetitionEntered,
    GreysLeft,
    DwarfBred,
    CompetitionJudged,
    UpkeepPaid,
    SoldForUpkeep,
    MemberOut,
    ClubDecided,
)


def event(club: Club, kind: int, a: int, b: int, c: int) -> Event:  # noqa: C901, PLR0911, PLR0912 -- one case a kind
    """Return the event of a journal's note; the table says what the numbers mean where it writes the note."""
    match kind:
        case notes.ROUND_BEGUN:
            return round_begun(a, b, part(c, 0, 3), part(c, 3, 3), c // 64)
        case notes.MONEY_TAKEN:
            return MoneyTaken(seat=a, amount=b)
        case notes.MONEY_GIVEN:
            return MoneyGiven(seat=a, amount=b)
        case notes.GREYS_RETURNED:
            return GreysReturned(seat=a, number=b)
        case notes.GARDENED:
            return Gardened(seat=a, cap=worker(b), wage=c)
        case notes.PARTNER_SOUGHT:
            return PartnerSought(seat=a, cap=worker(b), demand=worker(c))
        case notes.DWARF_SHOWN:
            return DwarfShown(seat=a, cap=worker(b) if b else None)
        case notes.DWARF_OFFERED:
            return DwarfOffered(seat=a, cap=worker(b))
        case notes.AMOUNT_SEALED:
            return AmountSealed(seat=a, amount=None if b == NOTHING else (b - 1) * STEP)
        case notes.AMOUNTS_OPENED:
            return opened(club.seats, a, b, c)
        case notes.DEAL_STRUCK:
            return DealStruck(seat=a, job="offer" if c % STEP else "search", partner=partner(b), price=c // STEP * STEP)
        case notes.PAIR_FORMED:
            return PairFormed(seat=a, own=worker(b % 8), mate=worker(b // 8), owner=partner(c))
        case notes.DWARF_SOLD:
            return DwarfSold(seat=a, cap=SALEABLE[b], price=c)
        case notes.DWARFS_TRADED:
            return DwarfsTraded(seat=a, cap=worker(b), gained=CAPS[c])
        case notes.COMPETITION_ENTERED:
            return CompetitionEntered(seat=a, cap=worker(b), competition=worker(c))
        case notes.GREYS_LEFT:
            return GreysLeft(seat=a)
        case notes.DWARF_BRED:
            return bred(a, b, c)
        case notes.COMPETITION_JUDGED:
            return judged(club.seats, a, b, c)
        case notes.UPKEEP_PAID:
            return UpkeepPaid(seat=a, paid=b, due=c)
        case notes.SOLD_FOR_UPKEEP:
            return SoldForUpkeep(seat=a, cap=SALEABLE[b], price=c)
        case notes.MEMBER_OUT:
            return MemberOut(seat=a)
    ending = ENDINGS[b]
    assert ending is not None  # noqa: S101 -- tells the type checker
    return ClubDecided(winners=seats_of(a), ending=ending)


def opening(club: Club) -> list[Heard]:
    """Return the round of a club; in a club just founded, also what its first event moved (GZ-13 to GZ-18, GZ-D31)."""
    if club.stage == OVER:
        return []
    begun = round_begun(club.round, club.treasurer, club.lower, club.higher, club.event)
    return [
        Heard(EVERYONE, told) for told in (begun, *(moved_by_event(club) if club.ply == 0 and club.round == 1 else ()))
    ]


def moved_by_event(club: Club) -> list[Event]:
    """Return the payments of the first event, in the order in which every later round reports them (GZ-D37)."""
    gained = [int(club.member(seat).cash) - START for seat in range(club.seats)]
    if club.event == CLUB_GRANT:
        return [MoneyGiven(seat=seat, amount=GRANT) for seat in range(club.seats) if gained[seat] == GRANT]
    if club.event not in {MEMBERSHIP_FEE, LUXURY_TAX}:
        return []
    first = int(club.treasurer)
    order = [*range(first, club.seats), *range(first)]
    return [MoneyTaken(seat=seat, amount=-gained[seat]) for seat in order if gained[seat] < 0]


def round_begun(number: int, treasurer: int, lower: int, higher: int, event: int) -> RoundBegun:
    """Return the beginning of a round, from its numbers."""
    return RoundBegun(
        round=number, treasurer=treasurer, lower=worker(lower), higher=worker(higher), event=event_of(event)
    )


def opened(seats: int, sealed: int, house: int, dealt: int) -> AmountsOpened:
    """Return the event of opened amounts."""
    turn, job = dealt % 8, dealt // 8
    answers = {seat: part(sealed, SEAL_BITS * seat, SEAL_BITS) for seat in range(seats)}
    others = [seat for seat in range(seats) if seat != turn and answers[seat]]
    return AmountsOpened(
        seat=turn,
        job="offer" if job else "search",
        own=(answers[turn] - 1) * STEP,
        answers=[
            SealedAnswer(seat=seat, amount=None if answers[seat] == NOTHING else (answers[seat] - 1) * STEP)
            for seat in others
        ],
        schmiedel=(house - 1) * STEP if house else None,
    )


def judged(seats: int, cards: int, share: int, shares: int) -> CompetitionJudged:
    """Return the result of a competition; `shares` has the number of winning dwarfs of each seat."""
    return CompetitionJudged(
        competition=worker(cards % 8),
        house=[CAPS[part(cards, 3, 3)], CAPS[part(cards, 6, 3)]],
        best=CAPS[part(cards, 9, 3)],
        share=share,
        winners=[seat for seat in range(seats) for _ in range(nibble(shares, seat))],
    )


def partner(seat: int) -> int | None:
    """Return a partner as the wire has it."""
    return None if seat == SCHMIEDEL else seat


def bred(seat: int, pair: int, outcome: int) -> DwarfBred:
    """Return the event of a pair's breeding."""
    drawn = [CAPS[cap] for cap in (part(outcome, 0, 3), part(outcome, 3, 3)) if cap != NOT_DRAWN]
    return DwarfBred(
        seat=seat,
        own=worker(pair % 8),
        mate=worker(pair // 8 % 8),
        drawn=drawn,
        gained=CAPS[part(outcome, 6, 3)] if part(outcome, 9, 1) else None,
    )
