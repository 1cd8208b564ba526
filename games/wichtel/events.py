"""Events of a move."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Final, Literal

from msgspec import Meta

from games.core.bits import bit, members_of, part
from games.core.game import Event, Heard
from games.core.table import EVERYONE
from games.wichtel.moves import ACTIONS, GNOMES, Action, Bribe, Gnome, Movement, Place, SeatNumber
from games.wichtel.table.cards import kind_of
from games.wichtel.table.codes import OVER
from games.wichtel.table.notes import SHIFTED, packed, packed_actions
from games.wichtel.table.village import Village
from games.wichtel.view import TITLES, Points, Title

Direction = Literal["onward", "back"]
Gnomes = Annotated[list[Gnome], Meta(max_length=5)]


class VillageSetUp(Event, frozen=True, tag="village_set_up"):
    """A round begins: the gnomes are dealt, and these are on the square."""

    round: int
    first: SeatNumber
    square: Gnomes


class HandDealt(Event, frozen=True, tag="hand_dealt"):
    """A seat was dealt gnomes and action cards. Only that seat sees them."""

    seat: SeatNumber
    gnomes: Gnomes
    actions: list[Action]


class VillageFound(Event, frozen=True, tag="village_found"):
    """A log begins in the middle of a round, with the seat on turn and the gnomes on the square."""

    round: int
    seat: SeatNumber
    square: Gnomes


class HandFound(Event, frozen=True, tag="hand_found"):
    """A log begins in the middle of a round, with the gnomes and action cards of a seat. Only that seat sees them."""

    seat: SeatNumber
    gnomes: Gnomes
    actions: list[Action]


class GnomesMarched(Event, frozen=True, kw_only=True, tag="gnomes_marched"):
    """The gnomes moved one place, onward or back: one left and one came. Both are null if none moved."""

    way: Direction
    left: Gnome | None = None
    came: Gnome | None = None


class MarchTurned(Event, frozen=True, tag="march_turned"):
    """The draw pile is empty, and the march goes the other way from now on."""


class MovementPlayed(Event, frozen=True, tag="movement_played"):
    """A seat played a movement card."""

    seat: SeatNumber
    card: Movement
    place: Place | None


class GnomeCalled(Event, frozen=True, kw_only=True, tag="gnome_called"):
    """A seat laid a gnome face down and drew another. Each is null for viewers who have not seen it."""

    seat: SeatNumber
    laid: Gnome | None = None
    drawn: Gnome | None = None


class GnomeOffered(Event, frozen=True, kw_only=True, tag="gnome_offered"):
    """A seat handed another seat a gnome for a swap, which only the giver has seen so far."""

    seat: SeatNumber
    partner: SeatNumber
    gnome: Gnome | None = None


class GnomesSwapped(Event, frozen=True, kw_only=True, tag="gnomes_swapped"):
    """Two seats swapped gnomes. Only these two see them."""

    seat: SeatNumber
    partner: SeatNumber
    given: Gnome | None = None
    returned: Gnome | None = None


class GnomeCourted(Event, frozen=True, tag="gnome_courted"):
    """A seat put the die on a gnome."""

    seat: SeatNumber
    place: Place
    gnome: Gnome


class BribeLaid(Event, frozen=True, kw_only=True, tag="bribe_laid"):
    """A seat laid a bribe face down. Only that seat sees it."""

    seat: SeatNumber
    card: Bribe | None = None


class BribePassed(Event, frozen=True, tag="bribe_passed"):
    """A seat laid no bribe."""

    seat: SeatNumber


class BribesOpened(Event, frozen=True, tag="bribes_opened"):
    """All bribes were revealed, by seat; null for none."""

    bribes: Annotated[list[Bribe | None], Meta(max_length=5)]


class BribeVetoed(Event, frozen=True, tag="bribe_vetoed"):
    """A seat played "No way!" against a bribe."""

    seat: SeatNumber
    target: SeatNumber
    card: Bribe


class BribesSpared(Event, frozen=True, tag="bribes_spared"):
    """A seat let the bribes stand."""

    seat: SeatNumber


class GnomeRolledFor(Event, frozen=True, tag="gnome_rolled_for"):
    """A seat rolled the die for a gnome."""

    seat: SeatNumber
    roll: Annotated[int, Meta(ge=1, le=6)]
    needed: Annotated[int, Meta(ge=2, le=6)]
    success: bool


class LookedAgain(Event, frozen=True, tag="looked_again"):
    """A seat played "I'll look again!"."""

    seat: SeatNumber


class GnomeRefused(Event, frozen=True, tag="gnome_refused"):
    """The gnome stays where it is."""

    seat: SeatNumber
    gnome: Gnome


class GnomeWon(Event, frozen=True, kw_only=True, tag="gnome_won"):
    """A seat won the gnome. The highest bribe is spent, whoever has won."""

    seat: SeatNumber
    gnome: Gnome
    briber: SeatNumber | None
    spent: Bribe | None = None


class GnomeGiven(Event, frozen=True, tag="gnome_given"):
    """A seat passed the gnome that it had won on to another."""

    seat: SeatNumber
    taker: SeatNumber
    gnome: Gnome


class GnomeLaid(Event, frozen=True, tag="gnome_laid"):
    """A seat laid a gnome on the free place and took the new one into its hand."""

    seat: SeatNumber
    gnome: Gnome
    place: Place


class EndDeclined(Event, frozen=True, tag="end_declined"):
    """A seat let the round continue."""

    seat: SeatNumber


class OfficerFreed(Event, frozen=True, tag="officer_freed"):
    """A seat freed the election officer."""

    seat: SeatNumber


class DiePassed(Event, frozen=True, tag="die_passed"):
    """A seat handed the die to the next one."""

    seat: SeatNumber
    next: SeatNumber


class RetinuesOpened(Event, frozen=True, tag="retinues_opened"):
    """A seat ended the round, or it was cut off."""

    round: int
    seat: SeatNumber | None


class RetinueScored(Event, frozen=True, kw_only=True, tag="retinue_scored"):
    """A seat's retinue was scored: its title, its result, the bonus for best or worst, and the new total."""

    seat: SeatNumber
    gnomes: Gnomes
    title: Title | None = None
    result: Points
    bonus: int
    total: Points


class ChiefCrowned(Event, frozen=True, tag="chief_crowned"):
    """The game is over, and these seats share the win."""

    winners: list[SeatNumber]


def gnome(number: int) -> Gnome | None:
    """Return a kind of gnome from its number plus one."""
    return GNOMES[number - 1] if number else None


def action(number: int) -> Action | None:
    """Return a kind of action card from its number plus one."""
    return ACTIONS[number - 1] if number else None


def gnomes(packed: int) -> list[Gnome]:
    """Return kinds of gnomes packed by 4 bits."""
    return [GNOMES[part(packed, 4 * i, 4) - 1] for i in range(5) if part(packed, 4 * i, 4)]


def seat_of(number: int) -> int | None:
    """Return a seat from its number plus one."""
    return number - 1 if number else None


def held(packed: int) -> list[Action | None]:
    """Return kinds of action cards packed by 4 bits."""
    return [action(part(packed, 4 * i, 4)) for i in range(4) if part(packed, 4 * i, 4)]


def seat_alone(number: int, _b: int, _c: int) -> dict[str, Any]:
    """Return the fields of an event that names a seat and no more."""
    return {"seat": number}


FIELDS: Final[dict[type[Any], Callable[[int, int, int], dict[str, Any]]]] = {
    VillageSetUp: lambda a, b, c: {"round": a, "first": b, "square": gnomes(c)},
    HandDealt: lambda a, b, c: {"seat": a, "gnomes": gnomes(b), "actions": held(c)},
    GnomesMarched: lambda a, b, c: {"way": "back" if a else "onward", "left": gnome(b), "came": gnome(c)},
    MarchTurned: lambda _a, _b, _c: {},
    MovementPlayed: lambda a, b, c: {"seat": a, "card": action(b), "place": c or None},
    GnomeCalled: lambda a, b, c: {"seat": a, "laid": gnome(b), "drawn": gnome(c)},
    GnomeOffered: lambda a, b, c: {"seat": a, "partner": b, "gnome": gnome(c)},
    GnomesSwapped: lambda a, b, c: {"seat": a, "partner": b, "given": gnome(c // 16), "returned": gnome(c % 16)},
    GnomeCourted: lambda a, b, c: {"seat": a, "place": b, "gnome": gnome(c)},
    BribeLaid: lambda a, b, _c: {"seat": a, "card": action(b)},
    BribePassed: seat_alone,
    BribesOpened: lambda a, b, _c: {"bribes": [action(part(a, 4 * seat, 4)) for seat in range(b)]},
    BribeVetoed: lambda a, b, c: {"seat": a, "target": b, "card": action(c)},
    BribesSpared: seat_alone,
    GnomeRolledFor: lambda a, b, c: {"seat": a, "roll": b, "needed": c // 2, "success": c % 2 == 1},
    LookedAgain: seat_alone,
    GnomeRefused: lambda a, b, _c: {"seat": a, "gnome": gnome(b)},
    GnomeWon: lambda a, b, c: {
        "seat": a,
        "gnome": gnome(b),
        "briber": seat_of(c // 16),
        "spent": action(c % 16),
    },
    GnomeGiven: lambda a, b, c: {"seat": a, "taker": b, "gnome": gnome(c)},
    GnomeLaid: lambda a, b, c: {"seat": a, "gnome": gnome(b), "place": c},
    EndDeclined: seat_alone,
    OfficerFreed: seat_alone,
    DiePassed: lambda a, b, _c: {"seat": a, "next": b},
    RetinuesOpened: lambda a, b, _c: {"round": a, "seat": seat_of(b)},
    RetinueScored: lambda a, b, c: {
        "seat": a,
        "gnomes": gnomes(part(b, 4, 16)),
        "title": TITLES[part(b, 0, 4) - 1] if part(b, 0, 4) else None,
        "result": part(c, 8, 16) - SHIFTED,
        "bonus": part(c, 0, 8),
        "total": part(c, 24, 16) - SHIFTED,
    },
    ChiefCrowned: lambda a, _b, _c: {"winners": [int(seat) for seat in members_of(a)]},
}
"""The meaning of a note's three numbers, by its event; the events stand in the order of `table.notes`."""

EVENTS: Final[tuple[type[Any], ...]] = (*FIELDS, VillageFound, HandFound)
"""The events of notes by their kinds, then the events without a move."""


def event(_village: Village, kind: int, a: int, b: int, c: int) -> Event:
    """Return the event of a journal's note."""
    kind_of_event = EVENTS[kind]
    made: Event = kind_of_event(**FIELDS[kind_of_event](a, b, c))
    return made


def opening(village: Village) -> list[Heard]:
    """Return the beginning of the first round (HW-5 to HW-11); later, the seat on turn, the square, and each hand."""
    if village.phase == OVER:
        return []
    fresh = village.ply == 0
    square = [GNOMES[kind_of(village.cell(village.start + place))] for place in range(village.seats)]
    turn, number = int(village.turn), int(village.round)
    begun = (
        VillageSetUp(round=number, first=turn, square=square)
        if fresh
        else VillageFound(round=number, seat=turn, square=square)
    )
    hand = HandDealt if fresh else HandFound
    told = [Heard(EVERYONE, begun)]
    for seat in range(village.seats):
        me = village.seat(seat)
        actions: Any = held(packed_actions(me.actions))
        told.append(Heard(int(bit(seat)), hand(seat=seat, gnomes=gnomes(packed(me.hand)), actions=actions)))
    return told
