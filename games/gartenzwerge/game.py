"""Gartenzwerge e.V. as the service and the workers know it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

from games.core.codec import CodedMoves
from games.core.game import Game, Move, Options, Provenance
from games.core.nets import NetFile, read_net
from games.core.reference import Sheet
from games.core.table import Worth
from games.core.weights import read_weights
from games.gartenzwerge import observation, record, speech
from games.gartenzwerge.drawing.picture import picture
from games.gartenzwerge.events import EVENTS, event, opening
from games.gartenzwerge.moves import CAPS, CODEC, MOVES, VARYING
from games.gartenzwerge.options import EVENT_NAMES, ClubOptions, Presets, options_of
from games.gartenzwerge.reasons import GROUPS, fact, units
from games.gartenzwerge.reference import reference
from games.gartenzwerge.refs import refs
from games.gartenzwerge.refuse import objection
from games.gartenzwerge.table.caps import COPIES
from games.gartenzwerge.table.club import Club
from games.gartenzwerge.table.constants import CHIP, COMPETITION, EVENT, HOUSE_CARD, STARTER, STEP, YOUNG
from games.gartenzwerge.table.deals import chip
from games.gartenzwerge.view import RULESET, STAGES, ClubRecord, ClubView
from games.gartenzwerge.worth import weighed

CHIPS: Final = tuple(int(chip(face)) * STEP for face in range(3))
FACES: Final[dict[int, tuple[tuple[int | str, ...], int]]] = {
    STARTER: (tuple(range(6)), 1),
    COMPETITION: (CAPS, 1),
    EVENT: (EVENT_NAMES, 1),
    YOUNG: (CAPS, COPIES),
    HOUSE_CARD: (CAPS, COPIES),
    CHIP: (CHIPS, COPIES),
}
"""The sets that chance draws from, with the numbers of each card."""

WEIGHTS: Final = read_weights("games.gartenzwerge")
NET: Final = read_net("games.gartenzwerge")


def corrected(net: NetFile) -> Worth:
    """Return the evaluation `tuned`, corrected by a net for the numbers of members that it is for."""
    seats = sum(1 << number for number in net.seats)
    return weighed(WEIGHTS.sets["two"], WEIGHTS.sets["tuned"], net.net(), seats)


class Gartenzwerge(CodedMoves, Game[Club, ClubView, ClubRecord, ClubOptions]):
    """Gartenzwerge e.V. by Roman Mathar."""

    slug: ClassVar = "gartenzwerge"
    ruleset: ClassVar = RULESET
    authors: ClassVar = ("Roman Mathar",)
    year: ClassVar = 2004
    minutes: ClassVar = (60, 120)
    difficulty: ClassVar = 3
    seat_numbers: ClassVar = (2, 3, 4, 5, 6)
    phases: ClassVar = STAGES
    round_events: ClassVar = ("round_begun",)
    touched: ClassVar = ("competition", "dwarf", "free", "garden", "headline", "lent", "money", "seat", "shed")
    scored: ClassVar = "blossoms"
    purposes: ClassVar = ("starter", "competition", "event", "young", "house_card", "chip")
    hidden: ClassVar = ("sealed", "stacks")
    moves: ClassVar = MOVES
    codec: ClassVar = CODEC
    varying: ClassVar = VARYING
    amounts: ClassVar = frozenset(("amount", "number"))
    code_limit: ClassVar = CODEC.limit
    events: ClassVar = EVENTS
    view_type: ClassVar = ClubView
    record_type: ClassVar = ClubRecord
    record_bytes: ClassVar = 4_096
    options_type: ClassVar = ClubOptions
    presets: ClassVar[dict[str, Options]] = dict(Presets.named)
    provenance: ClassVar[dict[str, Provenance]] = dict(Presets.sources)
    weights: ClassVar = WEIGHTS
    groups: ClassVar = GROUPS
    net: ClassVar = NET
    handicaps: ClassVar = {"medium": (100, 0.7), "expert": (2_000, 0.0)}
    handicaps_at: ClassVar = {
        seats: {"easy": (50, 2.0), "medium": (100, 1.2), "hard": (200, 0.9)} for seats in seat_numbers[2:]
    }
    worths: ClassVar[dict[str, Worth]] = {
        **{name: weighed(weights, weights) for name, weights in WEIGHTS.sets.items()},
        "tuned": weighed(WEIGHTS.sets["two"], WEIGHTS.sets["tuned"]),
        "learned": corrected(NET),
    }

    new = staticmethod(record.new)
    write = staticmethod(record.write)
    read = staticmethod(record.read)
    options = staticmethod(options_of)
    objection = staticmethod(objection)
    corrected = staticmethod(corrected)
    view = staticmethod(observation.view)
    from_view = staticmethod(observation.from_view)
    event = staticmethod(event)
    opening = staticmethod(opening)
    say_headline = staticmethod(speech.headline)
    say_prompt = staticmethod(speech.prompt)
    say_move = staticmethod(speech.label)
    refs = staticmethod(refs)
    units = staticmethod(units)
    fact = staticmethod(fact)
    say_event = staticmethod(speech.tell)
    draw = staticmethod(picture)

    def points(self, table: Club, /) -> list[int]:
        """Return the money in blossoms."""
        return [int(table.member(seat).cash) for seat in range(table.seats)]

    def usual_amount(self, move: Move, view: ClubView, /) -> int:
        """Return the value of the dwarf that a sealed amount is about, or else the most."""
        return speech.about(move, view)

    def phase(self, view: ClubView, /) -> str:
        """Return the phase that a view shows."""
        return view.stage

    def name_outcome(self, what: int, value: int, /) -> int | str:
        """Return a seat, a cap, an event, or a chip's value."""
        names, copies = FACES[what]
        return names[value // copies % len(names)]

    def read_outcome(self, what: int, name: int | str, /) -> int:
        """Return a drawn value from its name; of like cards the first."""
        names, copies = FACES[what]
        if name not in names:
            raise ValueError(f"{name!r} cannot be drawn")
        return names.index(name) * copies

    def reference(self, language: str, /) -> list[Sheet]:
        """Return the overview cards (GZ-64)."""
        return reference(self.texts, language)

    def weighed(self, weights: Mapping[str, float], /) -> Worth:
        """Return the evaluation with these weights, whatever the number of members."""
        return weighed(weights, weights)
