"""Der Hohe Rat as the service and the workers know it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

from games.core.bits import first, has
from games.core.codec import CodedMoves
from games.core.game import Game, Options, Provenance
from games.core.nets import NetFile, read_net
from games.core.reference import Sheet
from games.core.table import Worth
from games.core.weights import read_weights
from games.hoher_rat import observation, record, speech
from games.hoher_rat.drawing.picture import picture
from games.hoher_rat.events import EVENTS, event, opening
from games.hoher_rat.moves import CODEC, MOVES, VARYING
from games.hoher_rat.options import PRESETS, PROVENANCE, CouncilOptions
from games.hoher_rat.reasons import GROUPS, fact, units
from games.hoher_rat.reference import reference
from games.hoher_rat.refs import refs
from games.hoher_rat.refuse import objection
from games.hoher_rat.table.codes import RETURN_CARD, code
from games.hoher_rat.table.constants import STARTER
from games.hoher_rat.table.council import Council
from games.hoher_rat.view import RULESET, CouncilRecord, CouncilView
from games.hoher_rat.worth import weighed

CARDS: Final = 32
WEIGHTS: Final = read_weights("games.hoher_rat")
NET: Final = read_net("games.hoher_rat")


def corrected(net: NetFile) -> Worth:
    """Return the evaluation `tuned`, corrected by a net for the numbers of players that it is for."""
    return weighed(WEIGHTS.sets["tuned"], net.net(), sum(1 << number for number in net.seats))


class HoherRat(CodedMoves, Game[Council, CouncilView, CouncilRecord, CouncilOptions]):
    """Der Hohe Rat by Volker Hesselmann."""

    slug: ClassVar = "hoher-rat"
    ruleset: ClassVar = RULESET
    authors: ClassVar = ("Volker Hesselmann",)
    year: ClassVar = 2007
    minutes: ClassVar = (30, 45)
    difficulty: ClassVar = 2
    seat_numbers: ClassVar = (2, 4)
    phases: ClassVar = ("turn", "conferring", "vote", "over")
    touched: ClassVar = ("argument", "bank", "card", "deck", "field", "follower", "headline", "seat", "speaker")
    purposes: ClassVar = ("starter", "pro_card", "contra_card")
    hidden: ClassVar = ("hands", "conference", "deck")
    moves: ClassVar = MOVES
    varying: ClassVar = VARYING
    codec: ClassVar = CODEC
    code_limit: ClassVar = CODEC.limit
    events: ClassVar = EVENTS
    view_type: ClassVar = CouncilView
    record_type: ClassVar = CouncilRecord
    record_bytes: ClassVar = 2_048
    options_type: ClassVar = CouncilOptions
    presets: ClassVar[dict[str, Options]] = PRESETS
    provenance: ClassVar[dict[str, Provenance]] = PROVENANCE
    weights: ClassVar = WEIGHTS
    groups: ClassVar = GROUPS
    net: ClassVar = NET
    handicaps: ClassVar = {"medium": (100, 0.7), "hard": (200, 0.5)}
    handicaps_at: ClassVar = {4: {"medium": (100, 0.55)}}
    worths: ClassVar[dict[str, Worth]] = {
        **{name: weighed(weights) for name, weights in WEIGHTS.sets.items()},
        "learned": corrected(NET),
    }

    new = staticmethod(record.new)
    write = staticmethod(record.write)
    read = staticmethod(record.read)
    options = staticmethod(record.options)
    objection = staticmethod(objection)
    corrected = staticmethod(corrected)
    view = staticmethod(observation.view)
    views = staticmethod(observation.views)
    from_view = staticmethod(observation.from_view)
    event = staticmethod(event)
    opening = staticmethod(opening)
    say_headline = staticmethod(speech.headline)
    say_prompt = staticmethod(speech.prompt)
    say_move = staticmethod(speech.label)
    say_control = staticmethod(speech.control)
    refs = staticmethod(refs)
    units = staticmethod(units)
    fact = staticmethod(fact)
    say_event = staticmethod(speech.tell)
    draw = staticmethod(picture)

    def phase(self, view: CouncilView, /) -> str:
        """Return the phase that a view shows (HR-42, HR-56)."""
        if view.winner is not None:
            return "over"
        return "conferring" if view.conferring else "vote" if view.voting else "turn"

    def timeout_move(self, table: Council, seat: int, /) -> int | None:
        """Return the same card for a partner who does not answer in time (HR-D22)."""
        if table.offered and has(table.actors(), seat):
            return code(RETURN_CARD, first(table.offered), 0, 0, 0, 0, 0)
        return None

    def name_outcome(self, what: int, value: int, /) -> int | str:
        """Return a starter's seat or a card's number."""
        return value if what == STARTER else value + 1

    def read_outcome(self, what: int, name: int | str, /) -> int:
        """Return a seat or card from its name."""
        value = name if what == STARTER else int(name) - 1
        if isinstance(name, str) or not 0 <= int(value) < CARDS:
            raise ValueError(f"{name!r} cannot be drawn")
        return int(value)

    def reference(self, language: str, /) -> list[Sheet]:
        """Return an overview of a turn, and the fields of each colour."""
        return reference(self.texts, language)

    def teams(self, seats: int, /) -> list[list[int]]:
        """Return the factions' seats (HR-8, HR-10, HR-11)."""
        return [list(range(0, seats, 2)), list(range(1, seats, 2))]

    def weighed(self, weights: Mapping[str, float], /) -> Worth:
        """Return the evaluation with these weights."""
        return weighed(weights)
