"""Why a move is illegal, in the words of a rule; sees no more than the seat that asks."""

from __future__ import annotations

from typing import Final

from games.core.bits import has, nibble
from games.core.game import Move, Refusal
from games.gartenzwerge.moves import (
    CAPS,
    MOVES,
    ChooseDeal,
    EnterCompetition,
    LeaveGreys,
    NameMate,
    OfferDwarf,
    ReturnGreys,
    SealAsk,
    SealBid,
    SealMaximum,
    SealMinimum,
    SealNoBid,
    SeekPartner,
    SellDwarf,
    SellForUpkeep,
    SendToGarden,
    ShowDwarf,
    ShowNoDwarf,
    TradeDwarfs,
)
from games.gartenzwerge.rows import rank, worker
from games.gartenzwerge.table.caps import WORKERS
from games.gartenzwerge.table.club import (
    CHOOSING,
    CLEARING,
    EMPLOYING,
    NAMING,
    NO_DUTY,
    OVER,
    SCHMIEDEL,
    SEALING,
    SELLING,
    SHOWING,
    STEP,
)
from games.gartenzwerge.table.codes import SEAL_ASK, SEAL_BID, SEAL_MAXIMUM, SEAL_MINIMUM
from games.gartenzwerge.table.dwarf_club import DwarfClub
from games.gartenzwerge.table.listing import role

Employment = SendToGarden | SeekPartner | OfferDwarf | SellDwarf | TradeDwarfs | EnterCompetition | LeaveGreys
Sealed = SealMaximum | SealAsk | SealMinimum | SealBid | SealNoBid

WANTED: Final[dict[int, tuple[str, str]]] = {
    EMPLOYING: ("GZ-20", "employ_now"),
    SHOWING: ("GZ-D13", "show_now"),
    SEALING: ("GZ-28", "seal_now"),
    CHOOSING: ("GZ-D18", "choose_now"),
    NAMING: ("GZ-D19", "name_now"),
    CLEARING: ("GZ-D38", "clear_now"),
    SELLING: ("GZ-50", "sell_now"),
}
"""What is to be decided at each stage, and the rule that says so."""

ROLES: Final[dict[int, tuple[str, str]]] = {
    SEAL_MAXIMUM: ("GZ-27", "seal_maximum_now"),
    SEAL_ASK: ("GZ-26", "seal_ask_now"),
    SEAL_MINIMUM: ("GZ-33", "seal_minimum_now"),
    SEAL_BID: ("GZ-34", "seal_bid_now"),
}
"""What a seat has to seal, by the kind of move."""


def refuse(club: DwarfClub, seat: int, move: Move) -> Refusal | None:
    """Return the rule that forbids a move, or None for a legal one."""
    return refuse_time(club, seat) or refuse_stage(club, move) or refuse_move(club, seat, move)


def refuse_time(club: DwarfClub, seat: int) -> Refusal | None:
    """Refuse what comes from somebody who is not asked; of sealed answers he is told his own alone."""
    if club.stage == OVER:
        return Refusal("GZ-51", "game_over")
    if has(club.actors(), seat):
        return None
    if club.stage == SEALING:
        return Refusal("GZ-28", "sealed_already" if club.answer(seat) else "not_asked")
    return Refusal("GZ-14", "not_your_turn")


def refuse_stage(club: DwarfClub, move: Move) -> Refusal | None:
    """Refuse a move of another stage."""
    fitting: dict[int, object] = {
        EMPLOYING: Employment,
        SHOWING: ShowDwarf | ShowNoDwarf,
        SEALING: Sealed,
        CHOOSING: ChooseDeal,
        NAMING: NameMate,
        CLEARING: ReturnGreys,
        SELLING: SellForUpkeep,
    }
    stage = int(club.stage)
    if isinstance(move, fitting[stage]):  # type: ignore[arg-type] # a union is one, mypy calls it an object
        return None
    return Refusal(*WANTED[stage])


def refuse_move(club: DwarfClub, seat: int, move: Move) -> Refusal | None:
    """Refuse what the kind of move does not allow."""
    match move:
        case ShowDwarf(cap=cap):
            return refuse_shown(club, seat, cap)
        case ShowNoDwarf():
            return None
        case ChooseDeal(partner=partner):
            if has(club.tied, SCHMIEDEL if partner is None else partner):
                return None
            return Refusal("GZ-D18", "not_tied", "/partner")
        case NameMate(cap=cap):
            return missing(club, seat, cap, "GZ-D19")
        case ReturnGreys(number=number):
            held = int(nibble(club.member(seat).free, 0))
            return Refusal("GZ-D38", "too_many_greys", "/number", {"held": held}) if number > held else None
        case SellForUpkeep(cap=cap):
            return missing(club, seat, cap, "GZ-50")
        case SealMaximum() | SealAsk() | SealMinimum() | SealBid() | SealNoBid():
            return refuse_sealed(club, seat, move)
    return refuse_employment(club, seat, move)


def missing(club: DwarfClub, seat: int, cap: str, rule: str) -> Refusal | None:
    """Refuse a dwarf that the seat does not have, or not unoccupied."""
    if nibble(club.member(seat).free, rank(cap)):
        return None
    return Refusal(rule, "no_free_dwarf", "/cap", {"cap": cap})


def refuse_shown(club: DwarfClub, seat: int, cap: str) -> Refusal | None:
    """Refuse a dwarf that is not there or below the demand."""
    if rank(cap) < club.demand:
        return Refusal("GZ-25", "below_demand", "/cap", {"cap": cap, "demand": worker(club.demand)})
    return missing(club, seat, cap, "GZ-26")


def refuse_sealed(club: DwarfClub, seat: int, move: Move) -> Refusal | None:
    """Refuse an amount of another kind, and one that is too high."""
    wanted = int(role(club, seat))
    if isinstance(move, SealNoBid):
        return None if wanted == SEAL_BID else Refusal(*ROLES[wanted])
    if MOVES.index(type(move)) != wanted:
        return Refusal(*ROLES[wanted])
    limit = int(club.limit(seat)) * STEP
    if getattr(move, "amount", 0) <= limit:
        return None
    return Refusal("GZ-27" if wanted == SEAL_MAXIMUM else "GZ-D14", "too_much", "/amount", {"limit": limit})


def refuse_employment(club: DwarfClub, seat: int, move: Move) -> Refusal | None:
    """Refuse an employment that the event, the dwarf or the supply does not allow."""
    me = club.member(seat)
    if isinstance(move, LeaveGreys):
        return Refusal("GZ-D11", "others_first") if me.free & WORKERS else None
    duty = int(club.duty(seat))
    if me.free & WORKERS and duty != NO_DUTY and not isinstance(move, MOVES[duty]):
        return Refusal("GZ-D10", "duty", "", {"duty": str(MOVES[duty].__struct_config__.tag)})
    cap: str = getattr(move, "cap", CAPS[0])
    found = missing(club, seat, cap, "GZ-21")
    if found:
        return found
    if isinstance(move, EnterCompetition) and rank(move.competition) not in {club.lower, club.higher}:
        params = {"competition": move.competition, "open": [worker(club.lower), worker(club.higher)]}
        return Refusal("GZ-40", "no_such_competition", "/competition", params)
    if isinstance(move, TradeDwarfs):
        following = rank(cap) + 1
        if nibble(me.free, rank(cap)) < 2:
            return Refusal("GZ-37", "one_alone", "/cap", {"cap": cap})
        if club.in_supply(seat, following) < 1:
            return Refusal("GZ-D21", "supply_empty", "/cap", {"cap": CAPS[following]})
    return None
