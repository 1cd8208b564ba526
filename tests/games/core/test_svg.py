"""The building blocks of SVG text."""

from itertools import pairwise
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from games.core.style import Page, use
from games.core.svg import arc, breadth, element, fitted, lines, number, polar, sector, text, title

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


def test_a_page_is_drawn_to_the_letter() -> None:
    texts: Any = SimpleNamespace(sections={"en": {"names": {"title": "Pebbles & co"}}})
    page = Page("toy", 400, 20, (30, 24), (32, 14), lambda theme: f".toy-{theme}{{}}", lambda: "<defs/>")
    drawn = page.drawn(
        texts, "en", "dark", 90, "<g/>", said="Aine <won>", described="A heap & no card", turn="It is over"
    )
    assert drawn == (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 90" role="img" lang="en" class="toy-dark">'
        "<title>Pebbles &amp; co – Aine &lt;won&gt;</title><desc>A heap &amp; no card</desc>"  # noqa: RUF001 -- a dash
        '<style>.toy-dark{}</style><defs/><rect width="400" height="90" rx="24" class="toy-ground"/>'
        '<text x="20" y="30" class="toy-name" font-size="24">Pebbles &amp; co</text>'
        '<text x="380" y="32" class="toy-soft toy-end" font-size="14">It is over</text><g/></svg>'
    )


def test_a_shape_is_used_at_a_point_grown_and_named_where_that_is_said() -> None:
    assert use("toy", "heap", 3, 4.5) == '<use href="#toy-heap" transform="translate(3 4.5)"/>'
    assert use("toy", "heap", 3, 4, "big", 1.5, "a <heap>") == (
        '<use href="#toy-heap" transform="translate(3 4) scale(1.5)" class="big"><title>a &lt;heap&gt;</title></use>'
    )


@pytest.mark.parametrize(
    ("content", "class_", "expected"),
    [
        ("il", "toy-bold", 7.8),
        ("Mm", "toy-letter", 21.1),
        ("Mm", "", 19.2),
        ("Mm", "toy-name", 22.4),
        ("\u6751", "toy-bold", 10.5),
        ("\u2603", "toy-bold", 8.0),
        ("", "toy-name", 0.0),
    ],
)
def test_texts_are_as_broad_as_letters_of_a_broad_font_are(content: str, class_: str, expected: float) -> None:
    assert breadth(content, 10, class_) == pytest.approx(expected, abs=0.05)


@pytest.mark.parametrize(("room", "size"), [(400, 40.0), (180, 38.1), (120, 25.4), (94.6, 20.0)])
def test_a_text_that_is_too_long_is_smaller_but_never_below_what_a_phone_can_show(room: float, size: float) -> None:
    drawn = fitted("Pebbles", 1, 2, room, 40, "toy-bold")
    assert drawn == f'<text x="1" y="2" class="toy-bold" font-size="{number(size)}">Pebbles</text>'
    assert breadth("Pebbles", size, "toy-bold") <= room + 0.5


def test_a_text_that_would_be_too_small_is_cut_off_and_says_all_in_its_title() -> None:
    drawn = ET.fromstring(fitted("Peb bles & co", 1, 2, 75, 40, "toy-bold"))  # noqa: S314 -- our own text
    said, shown = drawn
    assert (said.text, shown.get("font-size")) == ("Peb bles & co", "20")
    assert shown.text is not None
    assert (shown.text, "Peb bles & co"[: len(shown.text) - 1]) == ("Peb…", "Peb")
    assert breadth(shown.text, 20, "toy-bold") <= 75
    assert fitted("", 1, 2, 75, 40, "a") == '<text x="1" y="2" class="a" font-size="40"></text>'


def test_angles_run_clockwise_from_the_top() -> None:
    assert polar(10, 0) == pytest.approx((0, -10))
    assert polar(10, 90) == pytest.approx((10, 0))
    assert arc(10, 0, 90) == "M0 -10A10 10 0 0 1 10 0"
    assert arc(10, 0, 270) == "M0 -10A10 10 0 1 1 -10 0"
    assert sector(5, 10, 0, 90) == "M0 -10A10 10 0 0 1 10 0L5 0A5 5 0 0 0 0 -5Z"
