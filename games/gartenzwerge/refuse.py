"""The rule that an illegal move breaks; it uses only the seat's knowledge. The table alone decides legality."""

from __future__ import annotations

from typing import Final

from games.core.bits import has, nibble
from games.core.game import Move, Refusal
from games.gartenzwerge import moves as kinds
from games.gartenzwerge.moves import CAPS, MOVES, rank, worker
from games.gartenzwerge.table import codes
from games.gartenzwerge.table import constants as stages
from games.gartenzwerge.table.caps import WORKERS
from games.gartenzwerge.table.club import Club
from games.gartenzwerge.table.listing import role

WANTED: Final[dict[int, tuple[tuple[type[Move], ...], str, str]]] = {
    stages.EMPLOYING: (MOVES[: codes.SHOW_DWARF], "GZ-20", "employ_now"),
    stages.SHOWING: (MOVES[codes.SHOW_DWARF : codes.SEAL_MAXIMUM], "GZ-D13", "show_now"),
    stages.SEALING: (MOVES[codes.SEAL_MAXIMUM : codes.CHOOSE_DEAL], "GZ-28", "seal_now"),
    stages.CHOOSING: ((kinds.ChooseDeal,), "GZ-D18", "choose_now"),
    stages.NAMING: ((kinds.NameMate,), "GZ-D19", "name_now"),
    stages.CLEARING: ((kinds.ReturnGreys,), "GZ-D38", "clear_now"),
    stages.SELLING: ((kinds.SellForUpkeep,), "GZ-50", "sell_now"),
}
"""The moves of each stage, and the rule that names the open decision."""

ROLES: Final[dict[int, tuple[str, str]]] = {
    codes.SEAL_MAXIMUM: ("GZ-27", "seal_maximum_now"),
    codes.SEAL_ASK: ("GZ-26", "seal_ask_now"),
    codes.SEAL_MINIMUM: ("GZ-33", "seal_minimum_now"),
    codes.SEAL_BID: ("GZ-34", "seal_bid_now"),
}
"""The amount that a seat has to seal, by the kind of move."""


def objection(club: Club, seat: int, move: Move) -> Refusal:
    """Return the rule that an illegal move breaks."""
    if not has(club.actors(), seat):
        return explain_time(club, seat)
    fitting, rule, reason = WANTED[int(club.stage)]
    return explain(club, seat, move) if isinstance(move, fitting) else Refusal(rule, reason)


def explain_time(club: Club, seat: int) -> Refusal:
    """Return the reason why a seat has nothing to decide now."""
    if club.stage == stages.OVER:
        return Refusal("GZ-51", "game_over")
    if club.stage == stages.SEALING:
        return Refusal("GZ-28", "sealed_already" if club.answer(seat) else "not_asked")
    return Refusal("GZ-14", "not_your_turn")


def explain(club: Club, seat: int, move: Move) -> Refusal:
    """Return the reason why an illegal move of the right stage is illegal."""
    match move:
        case kinds.ShowDwarf(cap=cap):
            if rank(cap) < club.demand:
                return Refusal("GZ-25", "below_demand", "/cap", {"cap": cap, "demand": worker(club.demand)})
            return no_free_dwarf("GZ-26", cap)
        case kinds.ChooseDeal():
            return Refusal("GZ-D18", "not_tied", "/partner")
        case kinds.NameMate(cap=cap):
            return no_free_dwarf("GZ-D19", cap)
        case kinds.ReturnGreys():
            return Refusal("GZ-D38", "too_many_greys", "/number", {"held": int(nibble(club.member(seat).free, 0))})
        case kinds.SellForUpkeep(cap=cap):
            return no_free_dwarf("GZ-50", cap)
    if club.stage == stages.SEALING:
        return explain_sealed(club, seat, move)
    return explain_employment(club, seat, move)


def no_free_dwarf(rule: str, cap: str) -> Refusal:
    """Return the refusal of a dwarf that the seat does not have, or not unoccupied."""
    return Refusal(rule, "no_free_dwarf", "/cap", {"cap": cap})


def explain_sealed(club: Club, seat: int, move: Move) -> Refusal:
    """Return the reason why an amount is illegal: it is of another kind, or too high."""
    wanted = int(role(club, seat))
    if MOVES.index(type(move)) != wanted:
        return Refusal(*ROLES[wanted])
    rule = "GZ-27" if wanted == codes.SEAL_MAXIMUM else "GZ-D14"
    return Refusal(rule, "too_much", "/amount", {"limit": int(club.limit(seat)) * stages.STEP})


def explain_employment(club: Club, seat: int, move: Move) -> Refusal:
    """Return the reason why the event, the dwarf or the supply does not allow an employment."""
    free = club.member(seat).free
    if isinstance(move, kinds.LeaveGreys):
        return Refusal("GZ-D11", "others_first")
    duty = int(club.duty(seat))
    if free & WORKERS and duty != stages.NO_DUTY and not isinstance(move, MOVES[duty]):
        return Refusal("GZ-D10", "duty", "", {"duty": str(MOVES[duty].__struct_config__.tag)})
    cap: str = getattr(move, "cap", CAPS[0])
    number = nibble(free, rank(cap))
    if number and isinstance(move, kinds.EnterCompetition):
        params = {"competition": move.competition, "open": [worker(club.lower), worker(club.higher)]}
        return Refusal("GZ-40", "no_such_competition", "/competition", params)
    if number == 1:
        return Refusal("GZ-37", "one_alone", "/cap", {"cap": cap})
    if number:
        return Refusal("GZ-D21", "supply_empty", "/cap", {"cap": CAPS[rank(cap) + 1]})
    return no_free_dwarf("GZ-21", cap)
