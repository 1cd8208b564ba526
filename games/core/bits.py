"""Sets, rings and packed numbers inside one 64-bit integer; the only module that shifts bits.

A set holds members 0 to 61, so no value passes 2**62 and compiled code agrees with plain Python.
Masks stop at 62 bits for the same reason.
"""

from __future__ import annotations

from librt.vecs import append, vec
from mypy_extensions import i64


def bit(member: i64, one: i64 = 1) -> i64:
    """Return the set with one member; `one` is an argument because a literal 1 would be shifted in 32 bits."""
    return one << member


def full(size: i64) -> i64:
    """Return the set of the members 0 to size - 1."""
    return bit(size) - 1


def has(members: i64, member: i64) -> bool:
    """Return whether a member belongs to a set."""
    return members >> member & 1 != 0


def count(members: i64) -> i64:
    """Return the number of members of a set."""
    pairs: i64 = members - (members >> 1 & 0x1555555555555555)
    fours: i64 = (pairs & 0x3333333333333333) + (pairs >> 2 & 0x3333333333333333)
    bytes_: i64 = fours + (fours >> 4) & 0x0F0F0F0F0F0F0F0F
    bytes_ += bytes_ >> 8
    bytes_ += bytes_ >> 16
    bytes_ += bytes_ >> 32
    return bytes_ & 127


def first(members: i64) -> i64:
    """Return the smallest member of a set that is not empty."""
    return count((members & -members) - 1)


def rest(members: i64) -> i64:
    """Return a set without its smallest member."""
    return members & members - 1


def nth(members: i64, position: i64) -> i64:
    """Return the member that has `position` smaller ones in its set."""
    left: i64 = position
    while left > 0:
        members &= members - 1
        left -= 1
    return first(members)


def members_of(members: i64) -> vec[i64]:
    """Return the members of a set in rising order."""
    found = vec[i64](capacity=8)
    while members:
        found = append(found, first(members))
        members &= members - 1
    return found


def neighbours(fields: i64, size: i64) -> i64:
    """Return every field beside one of `fields` on a closed ring of `size` fields."""
    return (fields << 1 | fields >> size - 1 | fields >> 1 | fields << size - 1) & full(size)


def run(fields: i64, field: i64, size: i64) -> i64:
    """Return the unbroken run of `fields` that holds `field`, on a closed ring of `size` fields."""
    grown: i64 = bit(field) & fields
    before: i64 = 0
    while grown != before:
        before = grown
        grown = (grown | neighbours(grown, size)) & fields
    return grown


def longest_run(fields: i64, size: i64) -> i64:
    """Return the length of the longest unbroken run of `fields` on a closed ring of `size` fields."""
    length: i64 = 0
    while fields and length < size:
        fields &= (fields << 1 | fields >> size - 1) & full(size)
        length += 1
    return length


def between(fields: i64, size: i64) -> i64:
    """Return every field with one of `fields` on both sides, on a closed ring of `size` fields."""
    return (fields << 1 | fields >> size - 1) & (fields >> 1 | fields << size - 1) & full(size)


def every(step: i64, start: i64, size: i64) -> i64:
    """Return the set of `start`, `start + step` and so on below `size`."""
    found: i64 = 0
    member: i64 = start
    while member < size:
        found |= bit(member)
        member += step
    return found


def nibble(packed: i64, place: i64) -> i64:
    """Return the number 0 to 15 at a place of a packed row of small numbers."""
    return packed >> 4 * place & 15


def nibbles(amount: i64, place: i64) -> i64:
    """Return `amount` at a place, to be added to or taken from a packed row of small numbers."""
    return amount << 4 * place


def nibble_sum(packed: i64) -> i64:
    """Return the sum of a packed row of small numbers."""
    total: i64 = 0
    while packed:
        total += packed & 15
        packed >>= 4
    return total


def part(code: i64, offset: i64, width: i64) -> i64:
    """Return the number in `width` bits of a code, from bit `offset` on."""
    return code >> offset & full(width)


def at(value: i64, offset: i64) -> i64:
    """Return a number moved to bit `offset` of a code."""
    return value << offset


def scaled(word: i64, limit: i64) -> i64:
    """Map a 32-bit word evenly to 0 to limit - 1."""
    return word * limit >> 32


def rotated(word: i64, by: i64) -> i64:
    """Return a 32-bit word rotated to the left."""
    return (word << by | word >> 32 - by) & 0xFFFFFFFF


def shifted(word: i64, by: i64) -> i64:
    """Return a 32-bit word shifted to the left, cut to 32 bits."""
    return word << by & 0xFFFFFFFF
