"""The picture: what is shown, and that nothing else is."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from games.core.table import SPECTATOR, Table
from games.wichtel.moves import LayBribe, RecruitGnome
from tests.games.wichtel.positions import GAME, after, position, view_of
from tests.games.wichtel.test_rules_end import ended

HANDS = {0: "FA HS ME KS", 1: "FA HF SW HD", 2: "HF HS SW VA"}


def said(table: Table, seat: int, language: str = "en", theme: str = "light") -> list[str]:
    """Return the texts of a picture."""
    root = ET.fromstring(GAME.picture(view_of(table, seat), language, theme))  # noqa: S314 -- drawn by ourselves
    return [element.text or "" for element in root.iter() if element.tag.endswith("text")]


def drawn(table: Table, seat: int, class_: str) -> int:
    """Return how many shapes of a class a picture has."""
    root = ET.fromstring(GAME.picture(view_of(table, seat), "en", "dark"))  # noqa: S314 -- drawn by ourselves
    return sum(element.get("class") == class_ for element in root.iter())


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_a_seat_sees_its_own_retinue_and_the_backs_of_the_others(seat: int) -> None:
    table = position(hands=HANDS, square="WW GE HW", left="-")
    assert drawn(table, seat, "hw-card") == 3 + 4
    assert drawn(table, seat, "hw-back") == 1 + 3 + 8
    names = said(table, seat)
    assert ("master" in names, "witch doctor" in names, "foreman" in names) == (seat == 0, seat == 1, seat == 2)


def test_a_spectator_sees_no_retinue() -> None:
    assert drawn(position(hands=HANDS), SPECTATOR, "hw-card") == 3


def test_what_walked_off_the_square_stands_under_its_pile() -> None:
    assert "HS KS" in said(position(left="HS KS"), 2)
    assert "? HS" in said(position(left="- HS -"), 2)[:20] or "? HS…" in said(position(left="- HS -"), 2)


def test_a_bribe_is_shown_to_its_owner_only() -> None:
    table = after(position(actions={1: ["six_coins"]}), 0, RecruitGnome(place=2))
    table = after(table, 1, LayBribe(card="six_coins", recruiter=0))
    assert "Bribe: 6 coins" in said(table, 1)
    assert "Bribe: face down" in said(table, 2)
    assert drawn(table, 2, "hw-die") == 1


@pytest.mark.parametrize("language", ["en", "de", "it"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_game_that_is_over_shows_all_retinues(language: str, theme: str) -> None:
    hands = {0: "VA HF HF HS", 1: "FA FA HS KS", 2: "FA FA HS KS"}
    table = ended(hands=hands, points={0: 90, 1: 0, 2: 0}).table
    assert drawn(table, SPECTATOR, "hw-card") == 12
    assert len(said(table, 0, language, theme)) > 12
    master = {"en": "Master", "de": "Meister", "it": "Maestro"}
    assert master[language] in said(table, 0, language, theme)


def test_names_are_told_to_those_who_hear_the_picture() -> None:
    picture = GAME.picture(view_of(position(square="WW GE HW"), 0), "de", "light")
    assert "<title>Der Herr der Wichtel" in picture
    assert "Auf dem Dorfplatz: Waldwebel, General und Witwe." in picture
