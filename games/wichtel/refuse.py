"""Why a move is illegal, in the words of a rule; sees no more than the seat that asks."""

from __future__ import annotations

from typing import Final

from games.core.game import Move, Refusal
from games.wichtel.moves import (
    ACTIONS,
    GNOMES,
    AcceptOutcome,
    Action,
    CallGnome,
    EndRound,
    FreeOfficer,
    GiveGnome,
    Gnome,
    GoOn,
    LayBribe,
    LayGnome,
    LookAgain,
    MarchGnomes,
    PassBribe,
    PassDie,
    PlayMovement,
    RecruitGnome,
    ReturnGnome,
    RollForGnome,
    SpareBribes,
    SwapGnome,
    VetoBribe,
)
from games.wichtel.table.cards import I_AM_BEST, LOOK_AGAIN, NO_WAY, gnomes_of
from games.wichtel.table.sitting import OVER, PICKS
from games.wichtel.table.village import Village
from games.wichtel.view import PHASES

WHEN: Final[dict[type[Move], tuple[str, set[str]]]] = {
    MarchGnomes: ("HW-12", {"before"}),
    PlayMovement: ("HW-D5", {"before", "after"}),
    CallGnome: ("HW-15", {"action"}),
    SwapGnome: ("HW-15", {"action"}),
    RecruitGnome: ("HW-15", {"action"}),
    ReturnGnome: ("HW-18", {"answer"}),
    LayBribe: ("HW-21", {"bribing"}),
    PassBribe: ("HW-21", {"bribing"}),
    VetoBribe: ("HW-35", {"opened"}),
    SpareBribes: ("HW-D10", {"opened"}),
    RollForGnome: ("HW-26", {"opened"}),
    AcceptOutcome: ("HW-28", {"opened", "rolled"}),
    LookAgain: ("HW-D9", {"rolled"}),
    GiveGnome: ("HW-29", {"giving"}),
    LayGnome: ("HW-30", {"laying"}),
    EndRound: ("HW-39", {"ending"}),
    GoOn: ("HW-39", {"ending"}),
    FreeOfficer: ("HW-37", {"after"}),
    PassDie: ("HW-16", {"after"}),
}
"""The rule by which each kind of move has its time, and the phases in which it is made."""


def refuse(village: Village, seat: int, move: Move) -> Refusal | None:
    """Return the rule that forbids a move, or None for a legal one."""
    if village.phase == OVER:
        return Refusal("HW-47", "game_over")
    if seat != village.asked:
        return Refusal("HW-16", "not_your_turn" if village.asked == village.turn else "not_asked")
    rule, phases = WHEN[type(move)]
    if PHASES[village.phase] not in phases:
        return Refusal(rule, f"now_{PHASES[village.phase]}")
    return refuse_kind(village, seat, move)


def refuse_kind(village: Village, seat: int, move: Move) -> Refusal | None:
    """Refuse what the kind of move does not allow."""
    match move:
        case CallGnome(gnome=gnome):
            return missing_gnome(village, seat, gnome, "HW-17")
        case LayGnome(gnome=gnome):
            return missing_gnome(village, seat, gnome, "HW-30")
        case SwapGnome(gnome=gnome, partner=partner):
            return missing_gnome(village, seat, gnome, "HW-18") or wrong_seat(village, seat, partner, "/partner")
        case ReturnGnome(gnome=gnome, partner=partner):
            if partner != village.turn:
                return Refusal("HW-18", "not_the_partner", "/partner", {"seat": partner})
            return missing_gnome(village, seat, gnome, "HW-D12")
        case GiveGnome(seat=taker):
            return wrong_seat(village, seat, taker, "/seat")
        case RecruitGnome(place=place):
            return refuse_place(village, place)
        case FreeOfficer():
            return Refusal("HW-D15", "officer_is_free") if village.freed else None
        case SpareBribes() | RollForGnome() | AcceptOutcome():
            return refuse_verdict(village, seat, move)
    return refuse_card(village, seat, move)


def refuse_card(village: Village, seat: int, move: Move) -> Refusal | None:
    """Refuse an action card that is not held, or not to be played so."""
    match move:
        case PlayMovement():
            return refuse_movement(village, seat, move)
        case LayBribe(card=card, recruiter=recruiter):
            if recruiter != village.turn:
                return Refusal("HW-21", "not_the_recruiter", "/recruiter", {"seat": recruiter})
            return missing_action(village, seat, card)
        case VetoBribe(seat=target):
            if target >= village.seats or not village.seat(target).bribe:
                return Refusal("HW-35", "no_bribe_there", "/seat", {"seat": target})
            return missing_action(village, seat, ACTIONS[NO_WAY], "")
        case LookAgain():
            return missing_action(village, seat, ACTIONS[LOOK_AGAIN], "")
    return None


def missing_gnome(village: Village, seat: int, gnome: Gnome, rule: str) -> Refusal | None:
    """Refuse a gnome that the seat does not hold, by the rule that asks for one of his."""
    if village.seat(seat).hand & gnomes_of(GNOMES.index(gnome)):
        return None
    return Refusal(rule, "gnome_not_held", "/gnome", {"gnome": gnome})


def missing_action(village: Village, seat: int, card: Action, pointer: str = "/card") -> Refusal | None:
    """Refuse an action card that the seat does not hold."""
    if village.seat(seat).holds(ACTIONS.index(card)):
        return None
    return Refusal("HW-36", "action_not_held", pointer, {"card": card})


def wrong_seat(village: Village, seat: int, other: int, pointer: str) -> Refusal | None:
    """Refuse a seat that is nobody's, or one's own."""
    if other >= village.seats:
        return Refusal("HW-1", "no_such_seat", pointer, {"seat": other})
    if other == seat:
        return Refusal("HW-18" if pointer == "/partner" else "HW-29", "oneself", pointer)
    return None


def refuse_place(village: Village, place: int) -> Refusal | None:
    """Refuse a place that the square does not have."""
    if place > village.seats:
        return Refusal("HW-13", "no_such_place", "/place", {"place": place, "places": village.seats})
    return None


def refuse_movement(village: Village, seat: int, move: PlayMovement) -> Refusal | None:
    """Refuse a card of movement that is not there, not possible, or played without or with a place."""
    if missing := missing_action(village, seat, move.card):
        return missing
    if move.card == "come_back" and village.discarded() == 0:
        return Refusal("HW-D3", "nobody_to_come_back")
    if move.card == "come_here":
        if (move.place is not None) != bool(village.flags & PICKS):
            return Refusal("HW-D24", "place_missing" if move.place is None else "place_not_picked", "/place")
        if move.place is not None:
            return refuse_place(village, move.place)
    return None


def refuse_verdict(village: Village, seat: int, move: Move) -> Refusal | None:
    """Refuse to let stand, to roll or to accept what is not to be."""
    if PHASES[village.phase] == "rolled":
        return None
    if isinstance(move, SpareBribes):
        return Refusal("HW-D10", "decide_yourself") if seat == village.turn else None
    if seat != village.turn:
        return Refusal("HW-D10", "spare_or_veto")
    if isinstance(move, RollForGnome):
        return Refusal("HW-28", "no_roll_against_best") if village.price() >= I_AM_BEST else None
    return Refusal("HW-26", "roll_first") if village.price() < I_AM_BEST else None
