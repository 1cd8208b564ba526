"""The moves of Gartenzwerge e.V. for people and the wire, and the bijection with their codes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Final, Literal, get_args

import msgspec
from msgspec import Meta

from games.core.game import Move
from games.gartenzwerge.table.caps import BROWN
from games.gartenzwerge.table.codes import amount_of, cap_of, code, kind_of, other_of
from games.gartenzwerge.table.constants import SCHMIEDEL, STEP, STEPS

Cap = Literal["grey", "brown", "orange", "red", "blue", "green", "gold"]
CAPS: Final[tuple[Cap, ...]] = get_args(Cap)
"""The caps from the lowest rank to the highest, by index (GZ-3)."""

Worker = Literal["brown", "orange", "red", "blue", "green"]
"""The cap of a dwarf that can be employed (GZ-23)."""

WORKERS: Final[tuple[Worker, ...]] = get_args(Worker)
"""The caps that can be employed; index 0 is brown."""

Saleable = Literal["grey", "brown", "orange", "red", "blue", "green"]
SALEABLE: Final[tuple[Saleable, ...]] = get_args(Saleable)
Seat = Annotated[int, Meta(ge=0, le=5)]
Amount = Annotated[int, Meta(ge=0, le=STEP * STEPS, multiple_of=STEP, description="Blossoms, in steps of 50.")]
"""What seven chips can form (GZ-8, GZ-D14, GZ-D46)."""

Partner = Annotated[Seat | None, Meta(description="A seat, or null for Herr Schmiedel.")]


class SendToGarden(Move, frozen=True, tag="send_to_garden"):
    """Have a dwarf do garden work (GZ-24)."""

    cap: Worker


class SeekPartner(Move, frozen=True, tag="seek_partner"):
    """Seek a partner for a dwarf, with a cap at least as high as demanded, which is all that can be (GZ-25, GZ-D44)."""

    cap: Worker
    demand: Worker = "brown"


class OfferDwarf(Move, frozen=True, tag="offer_dwarf"):
    """Offer a dwarf for breeding (GZ-33)."""

    cap: Worker


class SellDwarf(Move, frozen=True, tag="sell_dwarf"):
    """Sell a dwarf to the bank (GZ-36)."""

    cap: Saleable


class TradeDwarfs(Move, frozen=True, tag="trade_dwarfs"):
    """Trade two dwarfs of a cap for one of the next (GZ-37)."""

    cap: Worker


class EnterCompetition(Move, frozen=True, tag="enter_competition"):
    """Send a dwarf to one of the two competitions (GZ-40)."""

    cap: Worker
    competition: Annotated[Worker, Meta(description="The cap that names the competition.")]


class LeaveGreys(Move, frozen=True, tag="leave_greys"):
    """Leave the grey dwarfs, the only ones free, for the rest of the phase (GZ-D11)."""


class ShowDwarf(Move, frozen=True, tag="show_dwarf"):
    """Show a dwarf to a seeker as a possible partner (GZ-26)."""

    cap: Worker


class ShowNoDwarf(Move, frozen=True, tag="show_no_dwarf"):
    """Show a seeker no dwarf (GZ-D13)."""


class SealMaximum(Move, frozen=True, tag="seal_maximum"):
    """Seal the most one pays for a partner (GZ-27)."""

    amount: Amount


class SealAsk(Move, frozen=True, tag="seal_ask"):
    """Seal what one asks for the dwarf shown (GZ-26)."""

    amount: Amount


class SealMinimum(Move, frozen=True, tag="seal_minimum"):
    """Seal the least that the dwarf offered must bring (GZ-33)."""

    amount: Amount


class SealBid(Move, frozen=True, tag="seal_bid"):
    """Seal what one pays for the dwarf offered (GZ-34)."""

    amount: Amount


class SealNoBid(Move, frozen=True, tag="seal_no_bid"):
    """Seal that one does not bid (GZ-D15)."""


class ChooseDeal(Move, frozen=True, tag="choose_deal"):
    """Choose among partners with equal amounts (GZ-D18)."""

    partner: Partner


class NameMate(Move, frozen=True, tag="name_mate"):
    """Name the own dwarf that goes to the shed with the one rented (GZ-D19)."""

    cap: Worker


class ReturnGreys(Move, frozen=True, tag="return_greys"):
    """Return so many grey dwarfs to the supply (GZ-D38)."""

    number: Annotated[int, Meta(ge=0, le=15)]


class SellForUpkeep(Move, frozen=True, tag="sell_for_upkeep"):
    """Sell a dwarf to pay the upkeep (GZ-50)."""

    cap: Saleable


MOVES: Final = (
    SendToGarden,
    SeekPartner,
    OfferDwarf,
    SellDwarf,
    TradeDwarfs,
    EnterCompetition,
    LeaveGreys,
    ShowDwarf,
    ShowNoDwarf,
    SealMaximum,
    SealAsk,
    SealMinimum,
    SealBid,
    SealNoBid,
    ChooseDeal,
    NameMate,
    ReturnGreys,
    SellForUpkeep,
)
"""The kinds of moves; the index is the kind in a code."""

CODES: Final = 2**17
"""Every move code is below it."""


def worker(cap: int) -> Worker:
    """Return the name of a cap that can be employed."""
    return WORKERS[cap - BROWN]


def rank(cap: str) -> int:
    """Return a cap's index (GZ-3)."""
    return CAPS.index(cap)


def encode(move: Move) -> int:
    """Return a move's code."""
    cap = rank(getattr(move, "cap", "grey"))
    other = 0
    match move:
        case SeekPartner(demand=demand):
            other = rank(demand)
        case EnterCompetition(competition=competition):
            other = rank(competition)
        case ChooseDeal(partner=partner):
            other = SCHMIEDEL if partner is None else partner
    amount = getattr(move, "amount", 0) // STEP + getattr(move, "number", 0)
    return code(MOVES.index(type(move)), cap, other, amount)


def decode(number: int) -> Move:
    """Return the move of a code; raise ValueError for a number that is no move's code."""
    if not 0 <= number < CODES or kind_of(number) >= len(MOVES):
        raise ValueError("no move has this code")
    kind = MOVES[kind_of(number)]
    fields = {name: _FACES[name](number) for name in kind.__struct_fields__}
    move: Move = msgspec.convert({"kind": kind.__struct_config__.tag, **fields}, kind)
    if encode(move) != number:
        raise ValueError("no move has this code")
    return move


def cap_name(cap: int) -> Cap | None:
    """Return the name of a cap, or None for a number that is none."""
    return CAPS[cap] if cap < len(CAPS) else None


_FACES: Final[dict[str, Callable[[int], int | str | None]]] = {
    "cap": lambda number: cap_name(cap_of(number)),
    "demand": lambda number: cap_name(other_of(number)),
    "competition": lambda number: cap_name(other_of(number)),
    "partner": lambda number: None if other_of(number) == SCHMIEDEL else other_of(number),
    "amount": lambda number: amount_of(number) * STEP,
    "number": amount_of,
}
"""How each field of a move is read from its code."""
