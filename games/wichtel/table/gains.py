"""The gain of a retinue by a gnome that replaces the least useful of its four, computed once; compiled."""

from __future__ import annotations

from typing import Final

from librt.strings import BytesWriter
from mypy_extensions import i64

from games.wichtel.table.cards import KINDS
from games.wichtel.table.titles import place

NOTHING: Final = 128
"""Offset of a gain, which may be a loss, so that a byte holds it; larger ones are cut off."""


def sorted_place(a: i64, b: i64, c: i64, new: i64) -> i64:
    """Return the position of three kinds in rising order and a new one in the tables."""
    if new <= a:
        return ((new * KINDS + a) * KINDS + b) * KINDS + c
    if new <= b:
        return ((a * KINDS + new) * KINDS + b) * KINDS + c
    if new <= c:
        return ((a * KINDS + b) * KINDS + new) * KINDS + c
    return ((a * KINDS + b) * KINDS + c) * KINDS + new


def gains_of(worths: bytes) -> bytes:
    """Return the table of gains: KINDS bytes at KINDS times the place of a retinue."""
    writer = BytesWriter()
    a: i64
    b: i64
    c: i64
    d: i64
    for a in range(KINDS):
        for b in range(KINDS):
            for c in range(KINDS):
                for d in range(KINDS):
                    if a <= b <= c <= d:
                        write_gains(writer, worths, a, b, c, d)
                    else:
                        writer.write(b"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80")
    return writer.getvalue()


def write_gains(writer: BytesWriter, worths: bytes, a: i64, b: i64, c: i64, d: i64) -> None:
    """Write what each kind would bring to four kinds in rising order."""
    now: i64 = worths[2 * sorted_place(a, b, c, d)]
    new: i64
    for new in range(KINDS):
        best: i64 = worths[2 * sorted_place(a, b, c, new)]
        best = max(best, worths[2 * sorted_place(a, b, d, new)])
        best = max(best, worths[2 * sorted_place(a, c, d, new)])
        best = max(best, worths[2 * sorted_place(b, c, d, new)])
        writer.append(min(max(best - now + NOTHING, 0), 255))


def gain(gains: bytes, hand: i64, kind: i64) -> i64:
    """Return the gain of four gnomes by one of a kind for one of them, negative for a loss (HW-30)."""
    return gains[KINDS * place(hand) + kind] - NOTHING
