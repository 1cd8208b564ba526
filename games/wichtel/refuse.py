"""Explanations of illegal moves: the list of legal moves decides, this explains and uses only the seat's knowledge."""

from __future__ import annotations

from typing import Final

from games.core.bits import has
from games.core.game import Move, Refusal
from games.wichtel import moves
from games.wichtel.moves import ACTIONS, GNOMES, Action
from games.wichtel.table.cards import I_AM_BEST, LOOK_AGAIN_CARD, NO_WAY, gnomes_of
from games.wichtel.table.codes import PICKS
from games.wichtel.table.village import Village
from games.wichtel.view import PHASES

MOVE_PHASES: Final[dict[type[Move], tuple[str, set[str]]]] = {
    moves.MarchGnomes: ("HW-12", {"before"}),
    moves.PlayMovement: ("HW-D5", {"before", "after"}),
    moves.CallGnome: ("HW-15", {"action"}),
    moves.SwapGnome: ("HW-15", {"action"}),
    moves.RecruitGnome: ("HW-15", {"action"}),
    moves.ReturnGnome: ("HW-18", {"answer"}),
    moves.LayBribe: ("HW-21", {"bribing"}),
    moves.PassBribe: ("HW-21", {"bribing"}),
    moves.VetoBribe: ("HW-35", {"opened"}),
    moves.SpareBribes: ("HW-D10", {"opened"}),
    moves.RollForGnome: ("HW-26", {"opened"}),
    moves.AcceptOutcome: ("HW-28", {"opened", "rolled"}),
    moves.LookAgain: ("HW-D9", {"rolled"}),
    moves.GiveGnome: ("HW-29", {"giving"}),
    moves.LayGnome: ("HW-30", {"laying"}),
    moves.EndRound: ("HW-39", {"ending"}),
    moves.GoOn: ("HW-39", {"ending"}),
    moves.FreeOfficer: ("HW-37", {"after"}),
    moves.PassDie: ("HW-16", {"after"}),
}
"""The rule by which each kind of move has its time, and the phases in which it is made."""


def objection(village: Village, seat: int, move: Move) -> Refusal | None:
    """Return the rule that an illegal move breaks: first by its time, then by its fields."""
    phase = PHASES[village.phase]
    if phase == "over":
        return Refusal("HW-47", "game_over")
    if seat != village.actor:
        return Refusal("HW-16", "not_your_turn" if village.actor == village.turn else "not_asked")
    rule, phases = MOVE_PHASES[type(move)]
    if phase not in phases:
        return Refusal(rule, f"now_{phase}")
    match move:
        case moves.PlayMovement() | moves.LayBribe() | moves.LookAgain() | moves.VetoBribe():
            return explain_card(village, seat, move)
        case moves.GiveGnome(seat=taker):
            return wrong_seat(village, taker, "HW-29", "oneself", "/seat")
        case moves.RecruitGnome(place=place):
            return no_such_place(village, place)
        case moves.FreeOfficer():
            return Refusal("HW-D15", "officer_is_free")
        case moves.SpareBribes():
            return Refusal("HW-D10", "decide_yourself")
        case moves.RollForGnome() | moves.AcceptOutcome():
            if seat != village.turn:
                return Refusal("HW-D10", "spare_or_veto")
            best = village.price() >= I_AM_BEST
            return Refusal("HW-28", "no_roll_against_best") if best else Refusal("HW-26", "roll_first")
    return explain_gnome(village, seat, move)


def explain_gnome(village: Village, seat: int, move: Move) -> Refusal | None:
    """Explain a move that names a gnome which the seat does not hold, or another seat that it may not name."""
    match move:
        case moves.SwapGnome(gnome=gnome, partner=partner):
            if village.seat(seat).hand & gnomes_of(GNOMES.index(gnome)):
                return wrong_seat(village, partner, "HW-18", "oneself", "/partner")
            rule = "HW-18"
        case moves.ReturnGnome(gnome=gnome, partner=partner):
            if partner != village.turn:
                return wrong_seat(village, partner, "HW-18", "not_the_partner", "/partner")
            rule = "HW-D12"
        case moves.CallGnome(gnome=gnome):
            rule = "HW-17"
        case moves.LayGnome(gnome=gnome):
            rule = "HW-30"
        case _:
            return None
    return Refusal(rule, "gnome_not_held", "/gnome", {"gnome": gnome})


def explain_card(
    village: Village, seat: int, move: moves.PlayMovement | moves.LayBribe | moves.LookAgain | moves.VetoBribe
) -> Refusal:
    """Explain a move with an action card that the seat does not hold, or may not play so."""
    card: Action
    pointer = ""
    match move:
        case moves.PlayMovement(card=card, place=place):
            pointer = "/card"
            if village.seat(seat).holds(ACTIONS.index(card)):
                return wrong_movement(village, card, place)
        case moves.LayBribe(card=card, recruiter=recruiter):
            pointer = "/card"
            if recruiter != village.turn:
                return wrong_seat(village, recruiter, "HW-21", "not_the_recruiter", "/recruiter")
        case moves.VetoBribe(seat=target):
            card = ACTIONS[NO_WAY]
            if not has(village.bribed(), target):
                return wrong_seat(village, target, "HW-35", "no_bribe_there", "/seat")
        case moves.LookAgain():
            card = ACTIONS[LOOK_AGAIN_CARD]
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


def wrong_seat(village: Village, other: int, rule: str, reason: str, pointer: str) -> Refusal:
    """Explain a move that names a seat which a rule excludes, or a seat without a player."""
    if other < village.seats:
        return Refusal(rule, reason, pointer, {"seat": other})
    return Refusal("HW-1", "no_such_seat", pointer, {"seat": other})


def no_such_place(village: Village, place: int) -> Refusal:
    """Explain a move that names a place which the square does not have."""
    return Refusal("HW-13", "no_such_place", "/place", {"place": place, "places": village.seats})
