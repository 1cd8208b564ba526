"""The moves of Der Herr der Wichtel for people and the wire, and the codec of their codes."""

from __future__ import annotations

from typing import Annotated, Final, Literal, get_args

from msgspec import Meta

from games.core.codec import Codec, Part, numbered
from games.core.game import Move
from games.wichtel.table.codes import card_of, seat_of, what_of

Gnome = Literal[
    "family",
    "hauler",
    "clubber",
    "feller",
    "spear_thrower",
    "foreman",
    "sergeant",
    "master",
    "general",
    "widow",
    "witch_doctor",
]
Action = Literal[
    "two_coins",
    "three_coins",
    "four_coins",
    "five_coins",
    "six_coins",
    "i_am_best",
    "he_is_best",
    "come_here",
    "come_back",
    "stand_still",
    "look_again",
    "no_way",
]
Bribe = Literal["two_coins", "three_coins", "four_coins", "five_coins", "six_coins", "i_am_best", "he_is_best"]
Movement = Literal["come_here", "come_back", "stand_still"]
GNOMES: Final[tuple[Gnome, ...]] = get_args(Gnome)
"""The kinds of gnomes, by value (HW-2, HW-D28)."""

ACTIONS: Final[tuple[Action, ...]] = get_args(Action)
"""The kinds of action cards, by rank as a bribe (HW-3, HW-24)."""

MOVEMENTS: Final[tuple[Movement, ...]] = get_args(Movement)
Place = Annotated[int, Meta(ge=1, le=5, description="A place on the square, counted along the caravan.")]
SeatNumber = Annotated[int, Meta(ge=0, le=4)]


class MarchGnomes(Move, frozen=True, tag="march_gnomes"):
    """Let the gnomes march at the beginning of a turn, as the movement cards require (HW-12)."""


class PlayMovement(Move, frozen=True, tag="play_movement"):
    """Play a movement card. `place` selects the gnome that leaves, if the option allows it (HW-31 to HW-33, HW-D24)."""

    card: Movement
    place: Place | None = None


class CallGnome(Move, frozen=True, tag="call_gnome"):
    """Lay a gnome face down on the discard pile and draw one (HW-17)."""

    gnome: Gnome


class SwapGnome(Move, frozen=True, tag="swap_gnome"):
    """Hand another player a gnome face down in exchange for one of theirs (HW-18)."""

    gnome: Gnome
    partner: SeatNumber


class ReturnGnome(Move, frozen=True, tag="return_gnome"):
    """Hand the swapping player a gnome in return (HW-18)."""

    gnome: Gnome
    partner: SeatNumber


class RecruitGnome(Move, frozen=True, tag="recruit_gnome"):
    """Put the die on a gnome of the square (HW-20)."""

    place: Place


class LayBribe(Move, frozen=True, tag="lay_bribe"):
    """Lay a bribe for the recruiter's gnome face down. The last one is revealed at once (HW-21, HW-22)."""

    card: Bribe
    recruiter: SeatNumber


class PassBribe(Move, frozen=True, tag="pass_bribe"):
    """Lay no bribe (HW-21)."""


class VetoBribe(Move, frozen=True, tag="veto_bribe"):
    """Play "No way!" against a player's revealed bribe (HW-35)."""

    seat: SeatNumber


class SpareBribes(Move, frozen=True, tag="spare_bribes"):
    """Let the revealed bribes stand, if any player may play "No way!" (HW-D10)."""


class RollForGnome(Move, frozen=True, tag="roll_for_gnome"):
    """Roll for the gnome (HW-26, HW-27)."""


class AcceptOutcome(Move, frozen=True, tag="accept_outcome"):
    """Accept that a bribe wins the gnome, or that the gnome stays (HW-26, HW-27, HW-28)."""


class LookAgain(Move, frozen=True, tag="look_again"):
    """Play "I'll look again!" and roll once more (HW-34)."""


class GiveGnome(Move, frozen=True, tag="give_gnome"):
    """Pass the gnome won with "He is the best!" on to another player (HW-29)."""

    seat: SeatNumber


class LayGnome(Move, frozen=True, tag="lay_gnome"):
    """Lay one of the old gnomes on the free place (HW-30)."""

    gnome: Gnome


class EndRound(Move, frozen=True, tag="end_round"):
    """End the round after taking a gnome into your hand (HW-39)."""


class GoOn(Move, frozen=True, tag="go_on"):
    """Let the round continue (HW-39)."""


class FreeOfficer(Move, frozen=True, tag="free_officer"):
    """Free the election officer at the end of a turn (HW-37)."""


class PassDie(Move, frozen=True, tag="pass_die"):
    """End the turn and hand the die to the left neighbour (HW-16)."""


MOVES: Final = (
    MarchGnomes,
    PlayMovement,
    CallGnome,
    SwapGnome,
    ReturnGnome,
    RecruitGnome,
    LayBribe,
    PassBribe,
    VetoBribe,
    SpareBribes,
    RollForGnome,
    AcceptOutcome,
    LookAgain,
    GiveGnome,
    LayGnome,
    EndRound,
    GoOn,
    FreeOfficer,
    PassDie,
)
"""All kinds by the number that a code begins with."""

VARYING: Final[dict[type[Move], str]] = {
    PlayMovement: "place",
    SwapGnome: "gnome",
    ReturnGnome: "gnome",
    LayBribe: "card",
}
"""The field in which moves of one group differ."""

_GNOMES: Final = numbered(GNOMES)
_SEATS: Final = numbered(range(5))

CODEC: Final = Codec(
    MOVES,
    what_of,
    {
        "gnome": Part(card_of, _GNOMES),
        "card": Part(card_of, numbered(ACTIONS)),
        "place": Part(seat_of, numbered((None, *range(1, 6)))),
        (RecruitGnome, "place"): Part(card_of, numbered(range(1, 6))),
        "partner": Part(seat_of, _SEATS),
        "recruiter": Part(seat_of, _SEATS),
        "seat": Part(seat_of, _SEATS),
    },
    allowed={PlayMovement: lambda move: move.place is None or move.card == "come_here"},
)
"""Positions of the fields of moves in codes."""
