"""Der Herr der Wichtel as the service and the workers know it."""

from __future__ import annotations

from typing import ClassVar, Final

from games.core.codec import CodedMoves
from games.core.game import Game
from games.core.reference import Sheet
from games.core.table import Worth
from games.core.weights import read_weights
from games.wichtel import observation, record, speech
from games.wichtel.drawing.picture import picture
from games.wichtel.events import EVENTS, event, opening
from games.wichtel.moves import CODEC, MOVES, VARYING
from games.wichtel.options import PRESETS, PROVENANCE, VillageOptions, options_of
from games.wichtel.reasons import GROUPS, fact, units
from games.wichtel.record import ACTION_NAMES, GNOME_NAMES, VillageRecord
from games.wichtel.reference import reference
from games.wichtel.refs import refs
from games.wichtel.refuse import objection
from games.wichtel.table.codes import (
    ACCEPT,
    AFTER,
    BEFORE,
    BRIBING,
    DEALT_ACTION,
    DIE,
    ENDING,
    GO_ON,
    MARCH,
    OPENED,
    PASS_BRIBE,
    PASS_DIE,
    ROLLED,
    SPARE,
    code,
)
from games.wichtel.table.village import Village
from games.wichtel.view import PHASES, RULESET, VillageView
from games.wichtel.worth import weighed

WEIGHTS: Final = read_weights("games.wichtel")

ANSWERS: Final = {
    "march_on": (BEFORE, MARCH),
    "pass_bribes": (BRIBING, PASS_BRIBE),
    "spare_bribes": (OPENED, SPARE),
    "accept_rolls": (ROLLED, ACCEPT),
    "never_end": (ENDING, GO_ON),
    "pass_die": (AFTER, PASS_DIE),
}
"""Standing answers by name: when each one speaks, and the move that it makes; no card has a say in it (HW-D25)."""


class Wichtel(CodedMoves, Game[Village, VillageView, VillageRecord, VillageOptions]):
    """Der Herr der Wichtel by Ralf Sandfuchs."""

    slug: ClassVar = "wichtel"
    ruleset: ClassVar = RULESET
    authors: ClassVar = ("Ralf Sandfuchs",)
    year: ClassVar = 1998
    minutes: ClassVar = (60, 90)
    difficulty: ClassVar = 2
    seat_numbers: ClassVar = (3, 4, 5)
    phases: ClassVar = PHASES
    round_events: ClassVar = ("retinues_opened",)
    touched: ClassVar = ("action", "die", "gnome", "headline", "officer", "pile", "place", "seat", "way")
    scored: ClassVar = "totals"
    purposes: ClassVar = ("dealt_gnome", "drawn_gnome", "dealt_action", "gnome_die")
    hidden: ClassVar = ("hands", "piles", "swaps", "calls", "bribes", "actions")
    moves: ClassVar = MOVES
    codec: ClassVar = CODEC
    varying: ClassVar = VARYING
    code_limit: ClassVar = CODEC.limit
    events: ClassVar = EVENTS
    view_type: ClassVar = VillageView
    record_type: ClassVar = VillageRecord
    record_bytes: ClassVar = 8_192
    options_type: ClassVar = VillageOptions
    presets: ClassVar = PRESETS
    simulated: ClassVar = {"turn_cap": 200}
    provenance: ClassVar = PROVENANCE
    weights: ClassVar = WEIGHTS
    groups: ClassVar = GROUPS
    worths: ClassVar[dict[str, Worth]] = {name: weighed(weights) for name, weights in WEIGHTS.sets.items()}
    handicaps: ClassVar = {"easy": (30, 2.0), "medium": (40, 1.0), "hard": (100, 0.5), "expert": (1_000, 0.0)}
    modelled: ClassVar = frozenset({"expert"})
    standing: ClassVar = tuple(ANSWERS)

    new = staticmethod(record.new)
    write = staticmethod(record.write)
    read = staticmethod(record.read)
    options = staticmethod(options_of)
    objection = staticmethod(objection)
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
    weighed = staticmethod(weighed)

    def points(self, table: Village, /) -> list[int]:
        """Return the total of all scorings."""
        return [int(table.seat(seat).points) for seat in range(table.seats)]

    def answer(self, table: Village, seat: int, name: str, /) -> int | None:
        """Return the move that a standing answer makes now, or None if it is silent."""
        phase, move = ANSWERS[name]
        if table.phase != phase or table.actor != seat or (move == SPARE and seat == table.turn):
            return None
        return code(move, 0, 0)

    def phase(self, view: VillageView, /) -> str:
        """Return the phase that a view shows."""
        return view.phase

    def name_outcome(self, what: int, value: int, /) -> int | str:
        """Return a card's name, or a die's face."""
        if what == DIE:
            return value + 1
        names = ACTION_NAMES if what == DEALT_ACTION else GNOME_NAMES
        return names[value] if value < len(names) else f"no card {value}"

    def read_outcome(self, what: int, name: int | str, /) -> int:
        """Return a card or face from its name."""
        if what == DIE and isinstance(name, int) and 1 <= name <= 6:
            return name - 1
        names = ACTION_NAMES if what == DEALT_ACTION else GNOME_NAMES
        if what == DIE or name not in names:
            raise ValueError(f"{name!r} cannot be drawn")
        return names.index(str(name))

    def reference(self, language: str, /) -> list[Sheet]:
        """Return the scoring aid and the decks (HW-52)."""
        return reference(self.texts, language)
