"""The building blocks of SVG text."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from games.core.svg import arc, element, number, polar, sector, text, title

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


def test_angles_run_clockwise_from_the_top() -> None:
    assert polar(10, 0) == pytest.approx((0, -10))
    assert polar(10, 90) == pytest.approx((10, 0))
    assert arc(10, 0, 90) == "M0 -10A10 10 0 0 1 10 0"
    assert arc(10, 0, 270) == "M0 -10A10 10 0 1 1 -10 0"
    assert sector(5, 10, 0, 90) == "M0 -10A10 10 0 0 1 10 0L5 0A5 5 0 0 0 0 -5Z"
