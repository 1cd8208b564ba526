"""The options of a village, and what gnomes count by them."""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta

from games.core.bits import nibble, nibbles
from games.core.game import Options
from games.wichtel.moves import GNOMES, Gnome
from games.wichtel.table.codes import ANY_PLAYER, PICKS, SHORT
from games.wichtel.table.village import Village

Value = Annotated[int, Meta(ge=0, le=15)]
FIXED: Final = {"family": 0, "hauler": 1, "clubber": 2, "witch_doctor": 10}
"""Points that the rulebook gives (HW-D28)."""


class VillageOptions(Options, frozen=True):
    """The options of Der Herr der Wichtel."""

    goal: Annotated[int, Meta(ge=1, le=999, description="Points that make a chief (HW-47).")] = 99
    best_bonus: Annotated[int, Meta(ge=0, le=20, description="Points for the best result (HW-45).")] = 5
    worst_bonus: Annotated[int, Meta(ge=0, le=20, description="Points for the worst result (HW-46).")] = 1
    turn_cap: Annotated[
        int, Meta(ge=0, le=400, description="Turns after which a round is scored; 0 for no limit (HW-D26).")
    ] = 0
    no_way_for_all: Annotated[bool, Meta(description='Whether any player may play "No way!" (HW-D10).')] = False
    pick_who_leaves: Annotated[bool, Meta(description='Whether "Come here!" picks who leaves (HW-D24).')] = False
    short_titles: Annotated[bool, Meta(description="Whether fewer than four gnomes may earn a title (HW-D17).")] = False
    feller: Annotated[Value, Meta(description="A feller's points (HW-D28).")] = 3
    spear_thrower: Annotated[Value, Meta(description="A spear thrower's points (HW-D28).")] = 4
    foreman: Annotated[Value, Meta(description="A foreman's points (HW-D28).")] = 5
    sergeant: Annotated[Value, Meta(description="A sergeant's points (HW-D28).")] = 6
    master: Annotated[Value, Meta(description="The master's points (HW-D28).")] = 7
    general: Annotated[Value, Meta(description="The general's points (HW-D28).")] = 8
    widow: Annotated[Value, Meta(description="The widow's points in a chief's title (HW-D28).")] = 9


def points_of(kind: Gnome, options: VillageOptions) -> int:
    """Return a gnome's points (HW-D28)."""
    return FIXED[kind] if kind in FIXED else int(getattr(options, kind))


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
