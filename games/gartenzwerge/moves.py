"""The moves of Gartenzwerge e.V. for people and the wire, and the codec of their codes."""

from __future__ import annotations

from typing import Annotated, Final, Literal, get_args

from msgspec import Meta

from games.core.codec import Codec, Part, numbered
from games.core.game import Move
from games.gartenzwerge.table.caps import BROWN
from games.gartenzwerge.table.codes import amount_of, cap_of, kind_of, other_of
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
"""Amounts that seven chips can form (GZ-8, GZ-D14, GZ-D46)."""

Partner = Annotated[Seat | None, Meta(description="A seat, or null for Herr Schmiedel.")]


class SendToGarden(Move, frozen=True, tag="send_to_garden"):
    """Send a dwarf to the garden (GZ-24)."""

    cap: Worker


class SeekPartner(Move, frozen=True, tag="seek_partner"):
    """Seek a partner for a dwarf, with a cap at least as high as demanded (GZ-25, GZ-D44)."""

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
    """Leave the grey dwarfs, the only free ones, for the rest of the phase (GZ-D11)."""


class ShowDwarf(Move, frozen=True, tag="show_dwarf"):
    """Show a dwarf to a seeker as a possible partner (GZ-26)."""

    cap: Worker


class ShowNoDwarf(Move, frozen=True, tag="show_no_dwarf"):
    """Show a seeker no dwarf (GZ-D13)."""


class SealMaximum(Move, frozen=True, tag="seal_maximum"):
    """Seal the most that you will pay for a partner (GZ-27)."""

    amount: Amount


class SealAsk(Move, frozen=True, tag="seal_ask"):
    """Seal your price for the dwarf you have shown (GZ-26)."""

    amount: Amount


class SealMinimum(Move, frozen=True, tag="seal_minimum"):
    """Seal the least that you will take for the offered dwarf (GZ-33)."""

    amount: Amount


class SealBid(Move, frozen=True, tag="seal_bid"):
    """Seal your bid for the offered dwarf (GZ-34)."""

    amount: Amount


class SealNoBid(Move, frozen=True, tag="seal_no_bid"):
    """Seal that you do not bid (GZ-D15)."""


class ChooseDeal(Move, frozen=True, tag="choose_deal"):
    """Choose among partners with equal amounts (GZ-D18)."""

    partner: Partner


class NameMate(Move, frozen=True, tag="name_mate"):
    """Name your own dwarf that joins the rented one in the shed (GZ-D19)."""

    cap: Worker


class ReturnGreys(Move, frozen=True, tag="return_greys"):
    """Return this number of grey dwarfs to the supply (GZ-D38)."""

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


VARYING: Final[dict[type[Move], str]] = {SeekPartner: "demand", EnterCompetition: "competition"}
"""The field in which moves of one group differ."""


def worker(cap: int) -> Worker:
    """Return the name of a cap that can be employed."""
    return WORKERS[cap - BROWN]


def rank(cap: str) -> int:
    """Return a cap's index (GZ-3)."""
    return CAPS.index(cap)


_CAPS: Final = numbered(CAPS)
_STEPS: Final = {number * STEP: number for number in range(STEPS + 1)}

CODEC: Final = Codec(
    MOVES,
    kind_of,
    {
        "cap": Part(cap_of, _CAPS),
        "demand": Part(other_of, _CAPS),
        "competition": Part(other_of, _CAPS),
        "partner": Part(other_of, {**numbered(range(SCHMIEDEL)), None: SCHMIEDEL}),
        "amount": Part(amount_of, _STEPS),
        "number": Part(amount_of, numbered(range(16))),
    },
)
"""Positions of the fields of moves in codes."""
