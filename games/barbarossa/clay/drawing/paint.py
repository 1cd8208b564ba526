"""Colours of clay: from a player's colour to the steps between its shadow and its gloss."""

from __future__ import annotations

import re
from typing import Final

STEPS: Final = 20
"""Steps of brightness."""

PIT: Final = 42
LIVELY: Final = 0.95
"""Minimum light of the blackest clay, and the part of every colour that is kept, so that gloss still shows."""

_COLOUR: Final = re.compile(r"#[0-9a-f]{6}", re.IGNORECASE)
_WHITE: Final = (255.0, 252.0, 244.0)
_SHADE: Final = (30.0, 22.0, 52.0)
_MIDDLE: Final = 0.66
"""The brightness at which clay has its very colour."""


class NoColourError(ValueError):
    """A colour is not written as # and six hexadecimal digits."""


def ramp(colour: str) -> list[str]:
    """Return the steps of a colour, dark to bright; raise NoColourError for anything but #rrggbb."""
    if not _COLOUR.fullmatch(colour):
        raise NoColourError(colour)
    plain = [float(int(colour[at : at + 2], 16)) for at in (1, 3, 5)]
    light = (0.3 * plain[0] + 0.59 * plain[1] + 0.11 * plain[2]) / 255
    base = [LIVELY * channel + PIT * (1 - light) ** 4 for channel in plain]
    dark = [0.3 * channel + 0.14 * shade * (0.4 + light) for channel, shade in zip(base, _SHADE, strict=True)]
    reach = 0.4 + 0.25 * (1 - light)  # dark clay would show no form without more gloss
    bright = [channel + reach * (white - channel) for channel, white in zip(base, _WHITE, strict=True)]
    steps = []
    for step in range(STEPS):
        at = (step + 0.5) / STEPS
        if at < _MIDDLE:
            one, two, part = dark, base, at / _MIDDLE
        else:
            one, two, part = base, bright, (at - _MIDDLE) / (1 - _MIDDLE)
        mixed = (round(a + part * (b - a)) for a, b in zip(one, two, strict=True))
        steps.append("#" + "".join(f"{min(255, max(0, channel)):02x}" for channel in mixed))
    return steps
