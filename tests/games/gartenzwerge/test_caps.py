"""Rows of dwarfs and stacks of cards are packed numbers that behave like lists."""

import re
from collections import Counter
from itertools import product
from random import Random

import pytest

from games.core.bits import members_of, nibble
from games.gartenzwerge.events import EVENTS
from games.gartenzwerge.table import caps, notes
from games.gartenzwerge.table.caps import BLUE_EVENTS, CAPS, COPIES, GREY_EVENTS, NO_EVENT


@pytest.mark.parametrize("seed", range(6))
def test_a_row_is_a_list_of_dwarfs(seed: int) -> None:
    lots, dwarfs = Random(seed), Counter[int]()
    row = 0
    assert (caps.kinds(row), caps.highest(row)) == (0, caps.GREY)
    for _ in range(20):
        cap = lots.randrange(CAPS)
        row += caps.one(cap)
        dwarfs[cap] += 1
        assert [nibble(row, each) for each in range(CAPS)] == [dwarfs[each] for each in range(CAPS)]
        assert [*members_of(caps.kinds(row))] == sorted(dwarfs)
        assert caps.highest(row) == max(dwarfs)


@pytest.mark.parametrize(("shown", "number"), [*product(range(CAPS), range(COPIES + 1))])
def test_a_stack_is_a_list_of_cards(shown: int, number: int) -> None:
    other = (shown + 3) % CAPS
    stack = caps.cards(shown, number) | caps.cards(other, 2)
    assert Counter(caps.face(card) for card in members_of(stack)) == Counter({shown: number, other: 2})
    assert [caps.copies(stack, face) for face in (shown, other)] == [number, 2]
    if number:
        less = caps.without(stack, shown)
        assert [caps.copies(less, face) for face in (shown, other)] == [number - 1, 2]
        assert less == caps.cards(shown, number - 1) | caps.cards(other, 2)


def test_events_are_numbered_from_grey_to_blue() -> None:
    assert [*members_of(GREY_EVENTS), *members_of(BLUE_EVENTS)] == [*range(NO_EVENT)]
    assert (len(members_of(GREY_EVENTS)), len(members_of(BLUE_EVENTS))) == (9, 9)


def test_the_numbers_of_notes_are_the_places_of_their_events() -> None:
    for number, event in enumerate(EVENTS):
        name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", event.__name__).upper()
        assert getattr(notes, name) == number
