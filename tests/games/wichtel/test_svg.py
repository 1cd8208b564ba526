"""The picture: it shows the required parts and nothing else."""

from xml.etree import ElementTree as ET

import msgspec
import pytest

from games.core.dice import FastDice
from games.core.svg import WIDE
from games.core.table import SPECTATOR, Table
from games.core.texts import LANGUAGES
from games.wichtel.drawing import cards
from games.wichtel.moves import GNOMES, LayBribe, RecruitGnome
from tests.games.wichtel.positions import GAME, after, position, view_of
from tests.games.wichtel.test_rules_end import end_round

HANDS = {0: "FA HS ME KS", 1: "FA HF SW HD", 2: "HF HS SW VA"}


def read_texts(table: Table, seat: int, language: str = "en", theme: str = "light") -> list[str]:
    root = ET.fromstring(GAME.picture(view_of(table, seat), language, theme))  # noqa: S314 -- drawn by ourselves
    return [element.text or "" for element in root.iter() if element.tag.endswith("text")]


def read_titles(table: Table, seat: int) -> list[str]:
    root = ET.fromstring(GAME.picture(view_of(table, seat), "en", "light"))  # noqa: S314 -- drawn by ourselves
    return [element.text or "" for element in root.iter() if element.tag.endswith("title")]


def count_class(table: Table, seat: int, class_: str) -> int:
    root = ET.fromstring(GAME.picture(view_of(table, seat), "en", "dark"))  # noqa: S314 -- drawn by ourselves
    return sum(element.get("class") == class_ for element in root.iter())


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_a_seat_sees_its_own_retinue_and_the_backs_of_the_others(seat: int) -> None:
    table = position(hands=HANDS, square="WW GE HW", left="-")
    assert count_class(table, seat, "hw-card") == 3 + 4
    assert count_class(table, seat, "hw-back") == 1 + 3 + 8
    names = read_titles(table, seat)
    assert ("master (!)" in names, "witch doctor (!)" in names, "foreman" in names) == (seat == 0, seat == 1, seat == 2)


def test_a_spectator_sees_no_retinue() -> None:
    assert count_class(position(hands=HANDS), SPECTATOR, "hw-card") == 3


def test_a_gnome_off_the_square_stands_under_its_pile() -> None:
    assert "HA CL" in read_texts(position(left="HS KS"), 2)
    assert "? HA" in read_texts(position(left="- HS -"), 2)[:20] or "? HA …" in read_texts(position(left="- HS -"), 2)


@pytest.mark.parametrize(("language", "codes"), [("de", "VA WW GE"), ("en", "FO SE GE"), ("it", "CA SE GE")])
def test_cards_have_the_letters_of_the_readers_language(language: str, codes: str) -> None:
    assert set(codes.split()) <= set(read_texts(position(square="VA WW GE"), 2, language))
    words = GAME.texts.sections[language]["words"]
    letters = [letters for word, letters in words.items() if word.endswith(":short")]
    assert len(letters) == len(set(letters)) == 11


def test_a_bribe_is_shown_to_its_owner_only() -> None:
    table = after(position(actions={1: ["six_coins"]}), 0, RecruitGnome(place=2))
    table = after(table, 1, LayBribe(card="six_coins", recruiter=0))
    assert "Bribe: 6 coins" in read_texts(table, 1)
    assert "Bribe: face down" in read_texts(table, 2)
    assert count_class(table, 2, "hw-die") == 1


@pytest.mark.parametrize("language", ["en", "de", "it"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_game_that_is_over_shows_all_retinues(language: str, theme: str) -> None:
    hands = {0: "VA HF HF HS", 1: "FA FA HS KS", 2: "FA FA HS KS"}
    table = end_round(hands=hands, points={0: 90, 1: 0, 2: 0}).table
    assert count_class(table, SPECTATOR, "hw-card") == 12
    assert len(read_texts(table, 0, language, theme)) > 12
    master = {"en": "Master", "de": "Meister", "it": "Maestro"}
    assert master[language] in read_texts(table, 0, language, theme)


def test_names_are_told_to_those_who_hear_the_picture() -> None:
    picture = GAME.picture(view_of(position(square="WW GE HW"), 0), "de", "light")
    assert "<title>Der Herr der Wichtel" in picture
    assert "Auf dem Dorfplatz: Waldwebel, General und Witwe." in picture


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_places_on_the_square_are_numbered_and_the_piles_stay_inside(seats: int) -> None:
    table = GAME.new(seats, GAME.options_type(), FastDice(1))
    root = ET.fromstring(GAME.picture(view_of(table, 0), "it", "light"))  # noqa: S314 -- drawn by ourselves
    numbers = [
        element.text for element in root if element.get("font-size") == "24" and "hw-bold" in element.get("class", "")
    ]
    assert numbers == [str(1 + place) for place in range(seats)]
    backs = [element.get("transform", "") for element in root if element.find(".//*[@class='hw-back']") is not None]
    assert max(float(place.removeprefix("translate(").split()[0]) for place in backs if place) + 58 <= WIDE - 8


@pytest.mark.rule("HW-36", "HW-D23")
def test_spent_action_cards_are_drawn_for_all() -> None:
    table = position(actions={0: []}, spent=["two_coins", "two_coins", "three_coins", "no_way"])
    for viewer in (0, 1, SPECTATOR):
        written = read_texts(table, viewer, "de")
        assert {"Ausgespielt", "2 × 2 Rindentaler", "„Nix da!“"} <= set(written)  # noqa: RUF001 -- a times sign
    assert "Ausgespielt" not in read_texts(position(), 0, "de")
    assert "Spent are 2 × 2 coins, 3 coins and “No way!”." in GAME.picture(view_of(table, 0), "en", "light")  # noqa: RUF001


def test_in_the_end_the_corner_names_the_round_and_the_winner_is_marked() -> None:
    over = end_round(hands={0: "VA HF HF HS", 1: "FA FA HS KS", 2: "FA FA HS KS"}, points={0: 90, 1: 0, 2: 0}).table
    assert any(written.startswith("Nach Runde ") for written in read_texts(over, 0, "de"))
    assert not any("Zug 1" in written for written in read_texts(over, 0, "de"))
    assert count_class(over, 0, "hw-turn") == 1


@pytest.mark.rule("HW-55")
@pytest.mark.parametrize("language", LANGUAGES)
def test_cards_with_special_rules_bear_the_rulebooks_mark(language: str) -> None:
    lines = {line.id: line.text for sheet in GAME.reference(language) if sheet.key == "gnomes" for line in sheet.lines}
    assert {kind for kind, line in lines.items() if "(!)" in line} == {"master", "general", "witch_doctor", "widow"}
    for kind in GNOMES:
        for drawn in (cards.gnome(kind, 9, language, GAME.texts), cards.small(kind, 9, language, GAME.texts)):
            assert ("(!)" in drawn) is (kind in {"master", "general", "witch_doctor", "widow"})
    view = view_of(GAME.new(3, GAME.options_type(), FastDice(1)), 0)
    for held, marked in (("family", False), ("widow", True)):
        known = [msgspec.structs.replace(each, known=[held], gnomes=1) for each in view.candidates]
        square = [msgspec.structs.replace(cell, gnome=None) for cell in view.caravan]
        shown = msgspec.structs.replace(view, candidates=known, caravan=square)
        said = GAME.texts.sections[language]["picture"]["mark"].format(mark="(!)")
        assert (said in GAME.picture(shown, language, "light")) is marked
