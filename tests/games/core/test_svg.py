"""The building blocks of SVG text."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from games.core.style import Page
from games.core.svg import arc, breadth, element, lines, number, polar, sector, text, title

NASTY = "<script>\"&'</script>]]>"


def test_texts_and_attributes_are_escaped() -> None:
    written = element("g", title(NASTY), text(NASTY, 1, 2, NASTY), id=NASTY)
    read = ET.fromstring(written)  # noqa: S314 -- our own text
    assert read.get("id") == NASTY
    assert [child.text for child in read] == [NASTY, NASTY]
    assert read[1].get("class") == NASTY


def test_attribute_names_are_spelt_as_svg_spells_them() -> None:
    assert element("use", class_="a", stroke_width=2.0) == '<use class="a" stroke-width="2"/>'


@pytest.mark.parametrize(("value", "written"), [(0.04, "0"), (-0.04, "0"), (2, "2"), (-10.06, "-10.1"), (10.5, "10.5")])
def test_coordinates_are_short(value: float, written: str) -> None:
    assert number(value) == written


def test_a_word_that_no_line_holds_is_broken_where_the_line_is_full() -> None:
    word = "Wildwasserwichtelwanderung"
    found = lines(f"an {word * 3}", 60, 10)
    assert "".join(found) == f"an{word * 3}"
    assert all(breadth(line, 10) <= 60 for line in found)
    assert all(breadth(line + after[0], 10) > 60 for line, after in pairwise(found[1:]))


@pytest.mark.parametrize("turn", ["", "Aine is to move", "Aine is to move, and so is Conchobar"])
def test_the_name_of_a_game_leaves_room_for_whose_turn_it_is(turn: str) -> None:
    texts: Any = SimpleNamespace(sections={"en": {"names": {"title": "A game of a rather long name"}}})
    page = Page("toy", 400, 20, (30, 40), (30, 14), lambda _theme: "")
    drawn = ET.fromstring(page.drawn(texts, "en", "light", 100, said="", described="", turn=turn))  # noqa: S314
    (name,) = (each for each in drawn.iter() if each.get("class") == "toy-name")
    size, content = float(name.get("font-size") or 0), name.text or ""
    assert content
    assert breadth(content, size, "toy-name") + 12 + breadth(turn, 14) <= 400 - 2 * 20 + 0.5


def test_angles_run_clockwise_from_the_top() -> None:
    assert polar(10, 0) == pytest.approx((0, -10))
    assert polar(10, 90) == pytest.approx((10, 0))
    assert arc(10, 0, 90) == "M0 -10A10 10 0 0 1 10 0"
    assert arc(10, 0, 270) == "M0 -10A10 10 0 1 1 -10 0"
    assert sector(5, 10, 0, 90) == "M0 -10A10 10 0 0 1 10 0L5 0A5 5 0 0 0 0 -5Z"
