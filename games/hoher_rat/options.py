"""The options of Der Hohe Rat, its presets, and where numbers come from that the rulebook does not print."""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta

from games.core.game import Options, Provenance


class CouncilOptions(Options, frozen=True):
    """Options of Der Hohe Rat."""

    turn_cap: Annotated[
        int,
        Meta(
            ge=0, le=10_000, description=("Number of turns after which the larger block wins; 0 for no limit (HR-D30).")
        ),
    ] = 300
    idle_cap: Annotated[
        int,
        Meta(
            ge=0,
            le=1_000,
            description=("Number of idle turns in a row after which the larger block wins; 0 for no limit."),
        ),
    ] = 8


PRESETS: Final[dict[str, Options]] = {
    "standard": CouncilOptions(),
    "endless": CouncilOptions(turn_cap=0, idle_cap=0),
}

PROVENANCE: Final = {
    "turn_cap": Provenance(value="300", source="HR-D30", kind="decision"),
    "idle_cap": Provenance(value="8", source="HR-D30", kind="decision"),
    "field_colours": Provenance(
        value="n mod 6: white, blue, green, yellow, red, black",
        source="paizo.com/products/btpy7yw3 lists four colours' numbers; red and black are the numbers left over",
        kind="public",
    ),
    "ring": Provenance(
        value="30 fields, closed",
        source="review keirat Stonehe2 at ftp.informatik.rwth-aachen.de; Stonehenge rockt at spielzeit.de",
        kind="public",
    ),
    "trilith_cards": Provenance(
        value="two in each deck of 32",
        source="rulebook, set-up; which four of five does not matter",
        kind="rulebook",
    ),
}
