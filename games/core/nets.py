"""A learned net as data beside its game, `net.json`, which `python -m bench learn` writes."""

from __future__ import annotations

from array import array
from importlib.resources import files
from typing import Final
from zlib import crc32

import msgspec
from librt.vecs import vec
from mypy_extensions import i64

from games.core.net import LANES, UNITS, Net

FILE: Final = "net.json"
BITS: Final = 16


class NetFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A net as it is stored: `own` and `foe` are columns of UNITS little-endian 16-bit weights, `second` has UNITS.

    `seats` are the numbers of seats that it is for. The card describes its origin and its strength.
    """

    seats: list[int]
    card: dict[str, str]
    second: list[int]
    own: bytes
    foe: bytes

    @property
    def mark(self) -> int:
        """Return a number that tells its weights from those of another."""
        return crc32(self.own + self.foe + str(self.second).encode())

    def net(self) -> Net:
        """Return the net, its columns packed."""
        return Net(packed(self.own), packed(self.foe), vec[i64](self.second))


def packed(columns: bytes) -> vec[i64]:
    """Return columns with LANES weights to a number."""
    weights = array("h", columns)
    assert weights.itemsize * 8 == BITS  # noqa: S101 -- so it is on every platform that Python runs on
    words = range(0, len(weights), LANES)
    return vec[i64]([sum(weights[word + lane] << (BITS * lane) for lane in range(LANES)) for word in words])


def read_net(package: str) -> NetFile:
    """Read the net of a game's package; raise ValueError if its sizes do not fit."""
    found = msgspec.json.decode((files(package) / FILE).read_bytes(), type=NetFile)
    column = 2 * UNITS
    if len(found.second) != UNITS or len(found.own) % column or len(found.foe) % column:
        raise ValueError(f"{package}: {FILE} has other sizes than a net")
    return found
