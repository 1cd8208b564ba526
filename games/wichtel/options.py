"""The options of a village, and the values of gnomes by them."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Final

from msgspec import Meta

from games.core.bits import nibble, nibbles
from games.core.game import Options, Provenance
from games.wichtel.moves import GNOMES, Gnome
from games.wichtel.table.codes import ANY_PLAYER, PICKS, SHORT
from games.wichtel.table.village import Village

Value = Annotated[int, Meta(ge=0, le=15)]
FIXED: Final = {"family": 0, "hauler": 1, "clubber": 2, "witch_doctor": 10}
"""Points that the rulebook gives (HW-D28)."""


class VillageOptions(Options, frozen=True):
    """Options of Der Herr der Wichtel."""

    goal: Annotated[int, Meta(ge=1, le=999, description="Number of points that make a chief (HW-47).")] = 99
    best_bonus: Annotated[int, Meta(ge=0, le=20, description="Points for the best result (HW-45).")] = 5
    worst_bonus: Annotated[int, Meta(ge=0, le=20, description="Points for the worst result (HW-46).")] = 1
    turn_cap: Annotated[
        int, Meta(ge=0, le=400, description="Number of turns after which a round is scored; 0 for no limit (HW-D26).")
    ] = 0
    no_way_for_all: Annotated[bool, Meta(description='Whether any player may play "No way!" (HW-D10).')] = False
    pick_who_leaves: Annotated[
        bool, Meta(description='Whether "Come here!" selects the gnome that leaves (HW-D24).')
    ] = False
    short_titles: Annotated[bool, Meta(description="Whether fewer than four gnomes may earn a title (HW-D17).")] = False
    feller: Annotated[Value, Meta(description="A feller's points (HW-D28).")] = 3
    spear_thrower: Annotated[Value, Meta(description="A spear thrower's points (HW-D28).")] = 4
    foreman: Annotated[Value, Meta(description="A foreman's points (HW-D28).")] = 5
    sergeant: Annotated[Value, Meta(description="A sergeant's points (HW-D28).")] = 6
    master: Annotated[Value, Meta(description="The master's points (HW-D28).")] = 7
    general: Annotated[Value, Meta(description="The general's points (HW-D28).")] = 8
    widow: Annotated[Value, Meta(description="The widow's points in a chief's title (HW-D28).")] = 9


STANDARD: Final = VillageOptions()
PRESETS: Final[dict[str, Options]] = {
    "standard": STANDARD,
    "variants": VillageOptions(
        turn_cap=200,
        no_way_for_all=True,
        pick_who_leaves=True,
        short_titles=True,
        master=6,
        general=7,
        widow=11,
    ),
}

RECONSTRUCTED: Final = (
    "eleven kinds with the values 0 to 10, of which the rulebook gives four; master, general and widow make 24, for the"
    " highest title is worth 99; ranks rise in each career, and a soldier is worth one more than his like"
)
PROVENANCE: Final = {
    "goal": Provenance(value=str(STANDARD.goal), source="rulebook, end of the game", kind="rulebook"),
    "best_bonus": Provenance(value=str(STANDARD.best_bonus), source="rulebook, scoring", kind="rulebook"),
    "worst_bonus": Provenance(value=str(STANDARD.worst_bonus), source="rulebook, scoring", kind="rulebook"),
    "turn_cap": Provenance(value="0, which is none; 200 in simulations", source="HW-D26", kind="decision"),
    "no_way_for_all": Provenance(value="no", source="HW-D10", kind="decision"),
    "pick_who_leaves": Provenance(value="no", source="HW-D24", kind="decision"),
    "short_titles": Provenance(value="no", source="HW-D17", kind="decision"),
    "decks": Provenance(
        value="32 gnomes and 21 action cards by kind",
        source="Italian translation of the rules, 2003; the sums in the rulebook and a review at"
        " sunsite.informatik.rwth-aachen.de",
        kind="rulebook",
    ),
} | {
    kind: Provenance(value=str(getattr(STANDARD, kind)), source=RECONSTRUCTED, kind="reconstructed")
    for kind in ("feller", "spear_thrower", "foreman", "sergeant", "master", "general", "widow")
}


def points_of(kind: Gnome, options: VillageOptions) -> int:
    """Return a gnome's points (HW-D28)."""
    return FIXED[kind] if kind in FIXED else int(getattr(options, kind))


@lru_cache(maxsize=64)
def values_of(options: VillageOptions) -> int:
    """Return the points of all kinds of gnomes, 4 bits each (HW-D28)."""
    return sum(nibbles(points_of(name, options), kind) for kind, name in enumerate(GNOMES))


def options_of(village: Village) -> VillageOptions:
    """Return the options a table is played with."""
    return VillageOptions(
        goal=village.goal,
        best_bonus=village.best_bonus,
        worst_bonus=village.worst_bonus,
        turn_cap=village.turn_cap,
        no_way_for_all=bool(village.flags & ANY_PLAYER),
        pick_who_leaves=bool(village.flags & PICKS),
        short_titles=bool(village.flags & SHORT),
        **{name: nibble(village.values, kind) for kind, name in enumerate(GNOMES) if name not in FIXED},
    )
