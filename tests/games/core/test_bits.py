"""Sets, rings and packed numbers agree with plain sets, lists and numbers."""

from itertools import chain
from random import Random
from typing import Final

import pytest

from games.core.bits import (
    at,
    between,
    bit,
    count,
    every,
    first,
    full,
    has,
    longest_run,
    members_of,
    neighbours,
    nibble,
    nibble_sum,
    nibbles,
    nth,
    part,
    rest,
    rotated,
    run,
    scaled,
    shifted,
)

SIZES: Final = (1, 2, 3, 5, 16, 24, 30)
WORD: Final = 2**32


def sets(size: int) -> list[set[int]]:
    """Return sets of members below a size: all of them for small sizes, else the ends and some at random."""
    if size <= 5:
        return [{member for member in range(size) if number >> member & 1} for number in range(2**size)]
    chance = Random(size)
    some = [{member for member in range(size) if chance.random() < share} for share in (0.1, 0.5, 0.5, 0.9) * 5]
    return [set(), set(range(size)), set(range(size)) - {3}, {0}, {size - 1}, {0, size - 1}, *some]


def packed(members: set[int]) -> int:
    return sum(1 << member for member in members)


@pytest.mark.parametrize("size", [*SIZES, 61, 62])
def test_a_set_holds_counts_and_orders_its_members(size: int) -> None:
    assert list(members_of(full(size))) == list(range(size))
    for members in sets(size):
        number, rising = packed(members), sorted(members)
        assert [has(number, member) for member in range(62)] == [member in members for member in range(62)]
        assert (count(number), list(members_of(number))) == (len(members), rising)
        assert [nth(number, position) for position in range(len(rising))] == rising
        if members:
            assert (first(number), rest(number)) == (rising[0], packed(set(rising[1:])))
        assert all(bit(member) == 2**member for member in members)


@pytest.mark.parametrize("size", SIZES)
def test_on_a_ring_fields_lie_beside_each_other_also_where_it_closes(size: int) -> None:
    for fields in sets(size):
        beside = {(field + step) % size for field in fields for step in (1, -1)}
        assert neighbours(packed(fields), size) == packed(beside)
        both = {field for field in range(size) if {(field + 1) % size, (field - 1) % size} <= fields}
        assert between(packed(fields), size) == packed(both)


@pytest.mark.parametrize("size", SIZES)
def test_a_run_goes_as_far_as_there_are_fields_on_both_sides(size: int) -> None:
    for fields in sets(size):
        lengths = [0]
        for field in range(size):
            unbroken = set[int]()
            for step in (1, -1):
                place = field
                while place in fields and (place not in unbroken or place == field):
                    unbroken.add(place)
                    place = (place + step) % size
                    if place == field:
                        break
            assert run(packed(fields), field, size) == packed(unbroken)
            lengths.append(len(unbroken))
        assert longest_run(packed(fields), size) == max(lengths)


@pytest.mark.parametrize("size", SIZES)
def test_every_so_many_fields_end_below_the_size(size: int) -> None:
    for start, step in ((0, 1), (0, 2), (1, 2), (1, 3), (2, 5), (0, 7)):
        assert every(step, start, size) == packed(set(range(start, size, step)))


def test_small_numbers_are_packed_in_a_row_and_taken_out() -> None:
    row = [3, 0, 15, 1, 7]
    packed_row = sum(nibbles(amount, place) for place, amount in enumerate(row))
    assert [nibble(packed_row, place) for place in range(6)] == [*row, 0]
    assert nibble_sum(packed_row) == sum(row)
    assert nibble_sum(0) == 0
    code = at(5, 0) + at(300, 4) + at(1, 40)
    assert [part(code, 0, 4), part(code, 4, 9), part(code, 13, 20), part(code, 40, 3)] == [5, 300, 0, 1]


def test_words_are_turned_moved_and_mapped_in_32_bits() -> None:
    for word in (0, 1, 2**31, WORD - 1, 0xDEADBEEF):
        text = f"{word:032b}"
        for by in (1, 9, 13, 26, 31):
            assert rotated(word, by) == int(text[by:] + text[:by], 2)
            assert shifted(word, by) == int(text[by:] + "0" * by, 2)
    for limit in (1, 6, 360):
        assert [scaled(word, limit) for word in (0, WORD - 1)] == [0, limit - 1]
        thresholds = [-(-WORD * number // limit) for number in range(limit)]
        found = [(scaled(least, limit), scaled(least - 1, limit)) for least in thresholds[1:]]
        assert list(chain(*found)) == list(chain(*((number, number - 1) for number in range(1, limit))))
