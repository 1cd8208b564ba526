"""The two formats of a sculpture as they stand on the wire: `clay/1`, lumps of clay, and `strokes/1`, lines of ink.

Clay lies in a unit cube: x to the right and y to the back from -0.5 to 0.5, z up from the ground at 0 to 1.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

Shape = Literal["ball", "egg", "capsule", "cone", "slab", "block", "torus", "bend", "ribbon"]
SHAPES: Final[tuple[Shape, ...]] = ("ball", "egg", "capsule", "cone", "slab", "block", "torus", "bend", "ribbon")

Triple = tuple[float, float, float]

Side = Annotated[float, Meta(ge=-0.5, le=0.5)]
Height = Annotated[float, Meta(ge=0, le=1)]
Angle = Annotated[float, Meta(ge=-360, le=360)]
Extent = Annotated[float, Meta(ge=0.02, le=1)]
Coordinate = Annotated[int, Meta(ge=0, le=1023)]

PARTS: Final = 48
STROKES: Final = 64
POINTS: Final = 2000
CLAY_BYTES: Final = 8 * 1024
STROKES_BYTES: Final = 32 * 1024


class Part(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    kw_only=True,
    rename={"shape": "s", "position": "p", "rotation": "r", "size": "z"},
):
    """A lump of clay. Its own axes are rotated about the cube's x, then y, then z axis, around its centre."""

    shape: Annotated[
        Shape,
        Meta(
            description="Shape. ball: an ellipsoid; egg: an ellipsoid slimmer towards +z; capsule: a sausage along "
            "z; cone: its tip at +z; slab: a disc or cylinder along z; block: a box; torus: a ring in x"
            " and y with thickness z; bend: half an elliptical arch over x with thickness y; ribbon: a "
            "wave of one period along x with width y and thickness z/3."
        ),
    ]
    position: Annotated[tuple[Side, Side, Height], Meta(description="Centre, rounded to 0.01.")]
    rotation: Annotated[tuple[Angle, Angle, Angle], Meta(description="Rotation in degrees, rounded to 5.")] = (
        0.0,
        0.0,
        0.0,
    )
    size: Annotated[tuple[Extent, Extent, Extent], Meta(description="Extents along its own axes, rounded to 0.01.")]


class Clay(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="format", tag="clay/1"):
    """A sculpture made of lumps of clay in the player's colour."""

    parts: Annotated[tuple[Part, ...], Meta(min_length=1, max_length=PARTS)]


Point = tuple[Coordinate, Coordinate]
Stroke = Annotated[tuple[Point, ...], Meta(min_length=1, max_length=POINTS)]


class Strokes(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="format", tag="strokes/1"
):
    """An ink drawing: lines between points, with x to the right and y down. A single point is a dot."""

    strokes: Annotated[
        tuple[Stroke, ...],
        Meta(min_length=1, max_length=STROKES, description=f"All strokes together have at most {POINTS} points."),
    ]


Sculpture = Clay | Strokes
