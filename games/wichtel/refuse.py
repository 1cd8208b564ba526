"""Why a move is illegal: the list of legal moves decides, this explains and knows no more than the seat does."""

from __future__ import annotations

from typing import Final

from games.core.bits import has
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
from games.wichtel.table.codes import PICKS
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


def objection(village: Village, seat: int, move: Move) -> Refusal | None:
    """Return the rule that an illegal move breaks: first by its time, then by what it names."""
    phase = PHASES[village.phase]
    if phase == "over":
        return Refusal("HW-47", "game_over")
    if seat != village.actor:
        return Refusal("HW-16", "not_your_turn" if village.actor == village.turn else "not_asked")
    rule, phases = WHEN[type(move)]
    if phase not in phases:
        return Refusal(rule, f"now_{phase}")
    match move:
        case PlayMovement() | LayBribe() | LookAgain() | VetoBribe():
            return explain_card(village, seat, move)
        case GiveGnome(seat=taker):
            return wrong_seat(village, taker, "HW-29", "/seat")
        case RecruitGnome(place=place):
            return no_such_place(village, place)
        case FreeOfficer():
            return Refusal("HW-D15", "officer_is_free")
        case SpareBribes():
            return Refusal("HW-D10", "decide_yourself")
        case RollForGnome() | AcceptOutcome():
            if seat != village.turn:
                return Refusal("HW-D10", "spare_or_veto")
            best = village.price() >= I_AM_BEST
            return Refusal("HW-28", "no_roll_against_best") if best else Refusal("HW-26", "roll_first")
    return explain_gnome(village, seat, move)


def explain_gnome(village: Village, seat: int, move: Move) -> Refusal | None:
    """Explain a move that names a gnome which the seat does not hold, or another seat that it may not name."""
    match move:
        case SwapGnome(gnome=gnome, partner=partner):
            if village.seat(seat).hand & gnomes_of(GNOMES.index(gnome)):
                return wrong_seat(village, partner, "HW-18", "/partner")
            rule = "HW-18"
        case ReturnGnome(gnome=gnome, partner=partner):
            if partner != village.turn:
                return Refusal("HW-18", "not_the_partner", "/partner", {"seat": partner})
            rule = "HW-D12"
        case CallGnome(gnome=gnome):
            rule = "HW-17"
        case LayGnome(gnome=gnome):
            rule = "HW-30"
        case _:
            return None
    return Refusal(rule, "gnome_not_held", "/gnome", {"gnome": gnome})


def explain_card(village: Village, seat: int, move: PlayMovement | LayBribe | LookAgain | VetoBribe) -> Refusal:
    """Explain a move with an action card that the seat does not hold, or may not play so."""
    card: Action
    pointer = ""
    match move:
        case PlayMovement(card=card, place=place):
            pointer = "/card"
            if village.seat(seat).holds(ACTIONS.index(card)):
                return wrong_movement(village, card, place)
        case LayBribe(card=card, recruiter=recruiter):
            pointer = "/card"
            if recruiter != village.turn:
                return Refusal("HW-21", "not_the_recruiter", "/recruiter", {"seat": recruiter})
        case VetoBribe(seat=target):
            card = ACTIONS[NO_WAY]
            if not has(village.bribed(), target):
                return Refusal("HW-35", "no_bribe_there", "/seat", {"seat": target})
        case LookAgain():
            card = ACTIONS[LOOK_AGAIN]
    return Refusal("HW-36", "action_not_held", pointer, {"card": card})


def wrong_movement(village: Village, card: Action, place: int | None) -> Refusal:
    """Explain a card of movement that the seat holds: nobody can come back, or its place is missing or wrong."""
    if card == "come_back":
        return Refusal("HW-D3", "nobody_to_come_back")
    if place is None:
        return Refusal("HW-D24", "place_missing", "/place")
    if village.flags & PICKS:
        return no_such_place(village, place)
    return Refusal("HW-D24", "place_not_picked", "/place")


def wrong_seat(village: Village, other: int, rule: str, pointer: str) -> Refusal:
    """Explain a move that names the mover's own seat, or one that nobody has."""
    if other < village.seats:
        return Refusal(rule, "oneself", pointer)
    return Refusal("HW-1", "no_such_seat", pointer, {"seat": other})


def no_such_place(village: Village, place: int) -> Refusal:
    """Explain a move that names a place which the square does not have."""
    return Refusal("HW-13", "no_such_place", "/place", {"place": place, "places": village.seats})
