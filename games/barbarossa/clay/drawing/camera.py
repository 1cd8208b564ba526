"""From where a sculpture is seen and lit: the cube's axes as the eye has them, and how bright a surface is."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, hypot, radians, sin
from typing import Final

from games.barbarossa.clay.form import Triple
from games.barbarossa.clay.solid import Rows

LAMP: Final[Triple] = (-0.38, 0.62, 0.69)
"""Direction of the light, as seen by the eye: left, above, in front."""

_HALF: Final[Triple] = (LAMP[0], LAMP[1], LAMP[2] + 1)
GLOSS: Final[Triple] = (_HALF[0] / hypot(*_HALF), _HALF[1] / hypot(*_HALF), _HALF[2] / hypot(*_HALF))
"""The normal of a surface that throws the light straight into the eye."""


@dataclass(frozen=True, slots=True)
class Camera:
    """The eye: `rows` turn a point of the cube to (right, up, towards the eye)."""

    rows: Rows

    @classmethod
    def at(cls, azimuth: float, elevation: float) -> Camera:
        """Look at the front from a height of 0 to 90; a growing azimuth walks round the sculpture anticlockwise."""
        elevation = min(90.0, max(0.0, elevation))
        s, k = sin(radians(azimuth % 360)), cos(radians(azimuth % 360))
        up, level = sin(radians(elevation)), cos(radians(elevation))
        return cls(((k, s, 0.0), (-s * up, k * up, level), (s * level, -k * level, up)))

    def seen(self, point: Triple) -> Triple:
        """Return a point of the cube as the eye has it."""
        x, y, z = point
        (a, b, c), (d, e, f), (g, h, i) = self.rows
        return a * x + b * y + c * z, d * x + e * y + f * z, g * x + h * y + i * z

    def turned(self, rows: Rows) -> Rows:
        """Return a lump's own rotation as the eye has it."""
        columns = [self.seen((rows[0][axis], rows[1][axis], rows[2][axis])) for axis in range(3)]
        (a, d, g), (b, e, h), (c, f, i) = columns
        return (a, b, c), (d, e, f), (g, h, i)

    def lamp(self) -> Triple:
        """Return the direction of the light in the cube."""
        (a, b, c), (d, e, f), (g, h, i) = self.rows
        x, y, z = LAMP
        return a * x + d * y + g * z, b * x + e * y + h * z, c * x + f * y + i * z


def brightness(x: float, y: float, z: float, sky: float) -> float:
    """Return the brightness of a surface, 0 to 1, by its normal for the eye; `sky` is the part of it that looks up."""
    lit = (LAMP[0] * x + LAMP[1] * y + LAMP[2] * z + 0.3) / 1.3
    gloss = GLOSS[0] * x + GLOSS[1] * y + GLOSS[2] * z
    bright = 0.17 + 0.1 * sky + (0.62 * lit if lit > 0 else 0.0)
    if gloss > 0.8:
        bright += 0.3 * (5 * gloss - 4) ** 3
    return bright
