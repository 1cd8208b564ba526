"""Brings a sculpture into its one settled form, writes that down byte for byte, and names it by its hash.

The canonical form is JSON after RFC 8785: keys in order, no blanks, numbers as JavaScript spells them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import Final

import msgspec

from games.barbarossa.clay.check import ROLL, Fault, fault
from games.barbarossa.clay.form import CLAY_BYTES, STROKES_BYTES, Clay, Part, Sculpture, Triple
from games.barbarossa.table.grid import on_grid

STEP: Final = 5
"""Degrees that angles are rounded to."""

_DECODER: Final = msgspec.json.Decoder(Sculpture)
_PLACE: Final = re.compile(r" - at `\$(?P<path>[^`]*)`$")


class UnfitSculptureError(ValueError):
    """A text is no sculpture, or one beyond the limits; `fault` says why and where."""

    def __init__(self, found: Fault) -> None:
        """Take the fault."""
        super().__init__(f"{found.reason} at {found.pointer or '/'}")
        self.fault = found


def settle(sculpture: Sculpture) -> Sculpture:
    """Return a sculpture with all numbers rounded to their grid; settling twice changes nothing."""
    if not isinstance(sculpture, Clay):
        return sculpture
    if all(on_grid(part.position, part.rotation, part.size) for part in sculpture.parts):
        return sculpture
    return settled(sculpture.parts)


def settled(parts: Iterable[Part]) -> Clay:
    """Return lumps of clay as a settled sculpture."""
    return Clay(parts=tuple(map(_settled, parts)))


def canonical(sculpture: Sculpture) -> bytes:
    """Write a sculpture down in its canonical form."""
    return msgspec.json.encode(_spelled(msgspec.to_builtins(settle(sculpture))), order="sorted")


def digest(sculpture: Sculpture) -> str:
    """Return the SHA-256 of the canonical form, in hexadecimal."""
    return hashlib.sha256(canonical(sculpture)).hexdigest()


def read(text: bytes, room: int = ROLL) -> Sculpture:
    """Read a sculpture from JSON and settle it; raise UnfitSculptureError if it is none or beyond the limits."""
    if len(text) > STROKES_BYTES:
        raise UnfitSculptureError(Fault("too_long", "", {"bytes": len(text), "most": STROKES_BYTES}))
    try:
        sculpture = settle(_DECODER.decode(text))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UnfitSculptureError(_malformed(error)) from None
    if isinstance(sculpture, Clay) and len(text) > CLAY_BYTES:
        raise UnfitSculptureError(Fault("too_long", "", {"bytes": len(text), "most": CLAY_BYTES}))
    found = fault(sculpture, room)
    if found:
        raise UnfitSculptureError(found)
    return sculpture


def _settled(part: Part) -> Part:
    return Part(
        shape=part.shape,
        position=_rounded(part.position),
        rotation=_turned(part.rotation),
        size=_rounded(part.size),
    )


def _rounded(numbers: Triple) -> Triple:
    x, y, z = numbers
    return round(x, 2) + 0.0, round(y, 2) + 0.0, round(z, 2) + 0.0  # adding zero makes -0.0 a plain 0.0


def _turned(angles: Triple) -> Triple:
    x, y, z = angles
    return _degrees(x), _degrees(y), _degrees(z)


def _degrees(angle: float) -> float:
    return float(STEP * round(angle / STEP) % 360)


def _spelled(value: object) -> object:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _spelled(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_spelled(item) for item in value]
    return value


def _malformed(error: Exception) -> Fault:
    """Return the complaint of the reader of JSON, as it may contain no place as a JSON pointer."""
    found = _PLACE.search(str(error))
    path = found["path"] if found else ""
    return Fault("malformed", path.replace("[", "/").replace("]", "").replace(".", "/"))
