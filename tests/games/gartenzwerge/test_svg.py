"""The picture of a club: drawn from a view, and from nothing but it."""

from typing import Final
from xml.etree import ElementTree as ET

import pytest

from games.core.svg import MIN_TEXT_SIZE, breadth
from games.core.table import Table
from games.core.texts import LANGUAGES
from games.gartenzwerge.drawing.board import BOARD
from games.gartenzwerge.moves import (
    ChooseDeal,
    OfferDwarf,
    SealAsk,
    SealMaximum,
    SealMinimum,
    SealNoBid,
    SeekPartner,
    SendToGarden,
    ShowDwarf,
)
from tests.games.gartenzwerge.positions import GAME, after, position, view_of
from tests.games.gartenzwerge.test_rules_deals import search
from tests.games.gartenzwerge.test_rules_evening import last_go

SVG: Final = "{http://www.w3.org/2000/svg}"


def full() -> Table:
    """Return a club where dwarfs stand in every place there is."""
    return position(
        members={
            0: {"free": "grey grey brown red", "garden": "orange orange", "shed": [("blue", "red", 1)]},
            1: {"lent": "red", "lower": "brown brown", "higher": "green", "free": "grey"},
            2: {"free": "grey", "out": True},
        },
    )


def read(table: Table, seat: int = 0, language: str = "en", theme: str = "light") -> ET.Element:
    return ET.fromstring(GAME.picture(view_of(table, seat), language, theme))  # noqa: S314 -- our own text


def texts_of(root: ET.Element) -> list[str]:
    return [found.text for found in root.iter() if found.text and found.tag in {f"{SVG}text", f"{SVG}title"}]


def test_every_dwarf_stands_in_the_picture_where_it_is() -> None:
    titles = [found.text or "" for found in read(full()).iter(f"{SVG}title")]
    for told in ("2 × a grey dwarf", "2 × an orange dwarf", "2 × a brown dwarf", "a green dwarf", "a red dwarf"):  # noqa: RUF001
        assert told in titles
    assert "a blue dwarf with a red one of Tulip" in titles


def test_money_treasurer_competitions_and_who_is_out_are_written() -> None:
    written = texts_of(read(full()))
    assert written.count("1,500") == 3
    assert {"Treasurer", "Brown competition", "Orange competition", "out", "Rose (you)", "Round 2"} <= set(written)
    assert "Herr Schmiedel" not in written


@pytest.mark.rule("GZ-D32")
def test_a_sealed_amount_is_written_for_its_owner_alone() -> None:
    table = after(search(), (2, SealAsk(amount=650)))
    assert [any("650" in told for told in texts_of(read(table, seat))) for seat in (-1, 0, 1, 2)] == [False] * 3 + [
        True
    ]
    assert sum(told.endswith("sealing") for told in texts_of(read(table, 0))) == 3
    assert "shows brown · 650 blossoms" in texts_of(read(table, 2))


@pytest.mark.rule("GZ-25", "GZ-26")
@pytest.mark.parametrize("seat", [-1, 0, 1, 2])
def test_demands_and_shown_dwarfs_are_drawn_for_all(seat: int) -> None:
    seeking = position(members={0: {"free": "red"}, 1: {"free": "red"}, 2: {"free": "orange"}}, highest="red")
    table = after(seeking, (0, SeekPartner(cap="red", demand="orange")), (1, ShowDwarf(cap="red")))
    written = texts_of(read(table, seat))
    assert {"Partner wanted", "at least orange", "shows red"} <= set(written)
    assert "shows orange" not in written
    assert "shows orange · sealing" in texts_of(read(after(table, (2, ShowDwarf(cap="orange"))), seat))


@pytest.mark.rule("GZ-55", "GZ-56", "GZ-60", "GZ-D47")
def test_herr_schmiedels_amount_flower_and_garden_are_drawn() -> None:
    two = position(2, members={0: {"free": "red brown"}, 1: {"free": "orange"}}, highest="red")
    sealed = after(two, (0, SeekPartner(cap="red")), (1, ShowDwarf(cap="orange")), (1, SealAsk(amount=450)))
    assert "450 blossoms" not in texts_of(read(sealed))
    equal = after(sealed, (0, SealMaximum(amount=500)), script=[("chip", 100), ("chip", 50)])
    assert texts_of(read(equal)).count("450 blossoms") == 1
    taken = after(equal, (0, ChooseDeal(partner=None)))
    mates = [use.get("class") for use in read(taken).iter(f"{SVG}use") if use.get("href") == "#gz-coat"]
    assert mates.count("gz-f2") == 1, "his dwarf in the shed wears the third flower's colour"
    rented = after(two, (0, OfferDwarf(cap="red")), (0, SealMinimum(amount=0)), (1, SealNoBid()))
    assert texts_of(read(rented)).count("a red dwarf") == 2, "rented out, and in his garden"


def test_a_long_name_is_cut_off_in_its_plot_and_told_whole() -> None:
    names = [
        "Maximiliana von und zu Wittgenstein-Berleburg der Ältere",
        "漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字",
        "Bo",
    ]
    root = ET.fromstring(GAME.picture(view_of(full(), 1), "de", "dark", 0, names))  # noqa: S314 -- our own text
    written = [found for found in root.iter(f"{SVG}text") if "gz-name" in (found.get("class") or "")]
    for name in names[:2]:
        (cut,) = (found for found in written if (found.text or "").startswith(name[:9]))
        assert (cut.text or "").endswith("…")
        assert breadth(cut.text or "", float(cut.get("font-size", "0")), "gz-name") < BOARD
        assert float(cut.get("font-size", "0")) == MIN_TEXT_SIZE
        assert any((found.text or "").startswith(name) for found in root.iter(f"{SVG}title"))
    assert "Bo" in {found.text for found in written}


@pytest.mark.rule("GZ-51")
def test_the_winner_is_marked() -> None:
    table = after(last_go({1: {"money": 4200}}), (0, SendToGarden(cap="brown")))
    written = texts_of(read(table, -1))
    assert sum("wins" in told.split(" · ") for told in written) == 1


@pytest.mark.rule("GZ-26")
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_shown_dwarf_is_drawn_once_with_its_note_beside_it(language: str) -> None:
    table = search()
    view = view_of(table, 0)
    assert view.deal is not None
    shown = {seat: cap for seat, cap in enumerate(view.deal.shown) if cap}
    assert len(shown) == 2
    for seat, cap in shown.items():
        plot = next(each for each in read(table, 0, language).iter() if each.get("data-ref") == f"seat/{seat}")
        member = view.members[seat]
        rows = [member.free, member.garden, member.lent]
        standing = sum(getattr(row, cap) - (row is member.free) > 0 for row in rows)
        drawn = [use for use in plot.iter(f"{SVG}use") if use.get("href") == f"#gz-cap-{cap}"]
        assert len(drawn) == standing + 1
        note = GAME.texts.say(language, "picture", "shows", cap=cap)
        assert any(note in (text.text or "") for text in plot.iter(f"{SVG}text"))


def test_herr_schmiedel_is_named_in_full_in_a_shed() -> None:
    table = position(members={0: {"shed": [("red", "red", None)]}}, seats=2, schmiedel_lent="red")
    shed = next(each for each in read(table, 0, "de").iter() if each.get("data-ref") == "shed/0")
    words = [text.text or "" for text in shed.iter(f"{SVG}text")]
    assert words[1:] == ["Herr", "Schmiedel"]
