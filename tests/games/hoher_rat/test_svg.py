"""The picture of a council: drawn from a view, and from nothing but it."""

import math
import re
from collections.abc import Callable
from typing import Final
from xml.etree import ElementTree as ET

import msgspec
import pytest
from _pytest.mark import ParameterSet

from games.core.dice import FastDice
from games.core.table import SPECTATOR, Table
from games.hoher_rat import GAME
from games.hoher_rat.blocks import Run, blocks, groups, runs
from games.hoher_rat.view import CouncilView
from tests.draw_pictures import FOLDER, THEMES, draw_pictures
from tests.games.hoher_rat.positions import on, position, view_of

SVG: Final = "{http://www.w3.org/2000/svg}"
FULL: Final = (
    on("white", *range(1, 10))
    | on("red", *range(10, 20))
    | on("yellow", *range(20, 29))
    | {29: "white speaker", 30: "blue speaker"}
)


def conference() -> Table:
    """Return a table of four where Blue owes Red a card, and everyone knows much."""
    return position(
        seats=4,
        turn=1,
        acted=True,
        offered=9,
        pieces={7: "yellow speaker", 6: "red", 5: "red", 8: "white"},
        hands={0: [1, 2, 31], 1: [1, 2], 2: [3, 4, 5], 3: [3, 4, 9, 31]},
        shown={0: [31], 3: [9]},
        arguments={0: {"white": 3, "red": 1}, 3: {"green": 6}},
        discards={0: [28, 29], 1: [30]},
    )


POSITIONS: Final[dict[str, Callable[[], Table]]] = {
    "opening": lambda: GAME.new(2, GAME.presets["standard"], FastDice(4)),
    "opening of four": lambda: GAME.new(4, GAME.presets["standard"], FastDice(4)),
    "conference": conference,
    "vote": lambda: position(seats=4, pieces=FULL, voting=True, arguments={1: {"blue": 4}}),
    "won": lambda: position(pieces=on("white", *range(25, 31)) | on("yellow", *range(1, 11)), winner="pro"),
    "drawn": lambda: position(turns=300, winner="draw"),
    "both triliths": lambda: position(hands={0: [30, 31, 32]}),
}


def views() -> list[ParameterSet]:
    return [
        pytest.param(view_of(table, seat), id=f"{name} seen by {'all' if seat == SPECTATOR else seat}")
        for name, build in POSITIONS.items()
        for table in [build()]
        for seat in range(SPECTATOR, table.seats)
    ]


def read(svg: str) -> ET.Element:
    return ET.fromstring(svg)  # noqa: S314 -- our own text


def marked(root: ET.Element, class_: str) -> list[ET.Element]:
    return [found for found in root.iter() if class_ in (found.get("class") or "").split()]


def title_of(found: ET.Element) -> str:
    return found.findtext(f"{SVG}title") or ""


def place(found: ET.Element) -> tuple[float, float]:
    moved = re.match(r"translate\((\S+) (\S+)\)", found.get("transform") or "")
    if moved:
        return float(moved[1]), float(moved[2])
    return float(found.get("x", "nan")), float(found.get("y", "nan"))


@pytest.mark.rule("HR-D21")
@pytest.mark.parametrize("view", views())
def test_hands_show_the_cards_that_the_view_holds_and_backs_for_the_rest(view: CouncilView) -> None:
    root = read(GAME.picture(view, "en", "light"))
    owners = [other for pile in view.piles for other in view.councillors if other.faction == pile.faction]
    faces = [title_of(found) for found in marked(root, "hr-face")]
    expected = []
    for other in owners:
        for card in other.known:
            name = {31: "Trilith I", 32: "Trilith II"}.get(card, str(card))
            shared = other.seat == view.seat and card in view.partner_knows
            expected.append(f"Card {name}, known to the partner" if shared else f"Card {name}")
    assert faces == expected
    backs = [found for found in root.iter() if title_of(found) == "A card face down"]
    assert len(backs) == sum(other.cards - len(other.known) for other in owners)
    printed = [found.text for found in marked(root, "hr-card")]
    assert printed == [str(card) for other in owners for card in other.known if card <= 30]
    assert len(marked(root, "hr-mark")) == int(view.offered is not None)


@pytest.mark.rule("HR-67")
def test_arguments_lie_by_colour_on_five_fields_in_the_middle() -> None:
    root = read(GAME.picture(view_of(position(arguments={0: {"green": 3}}), 0), "en", "light"))
    said = [found.text or "" for found in root.iter("{http://www.w3.org/2000/svg}title")]
    assert [each for each in said if each.startswith("In the supply")] == [
        *(f"In the supply: 10 {hue} arguments" for hue in ("white", "blue")),
        "In the supply: 7 green arguments",
        *(f"In the supply: 10 {hue} arguments" for hue in ("yellow", "red")),
    ]


@pytest.mark.rule("HR-6", "HR-7", "HR-D32")
def test_numbers_of_all_fields_are_readable_beside_their_pieces() -> None:
    root = read(GAME.picture(view_of(POSITIONS["vote"](), 0), "en", "light"))
    numbers = {int(found.text or ""): found for found in marked(root, "hr-num")}
    assert list(numbers) == list(range(1, 31))
    order = list(root.iter())
    shapes = [found for found in order if found.get("href") in {"#hr-disc", "#hr-figure"}][:30]
    for field, number in numbers.items():
        x, y = place(number)
        nearest = min(math.dist((x, y - 9), place(shape)) for shape in shapes)
        assert nearest > 50, field
    letters = [number[0].text for number in numbers.values()]
    assert letters == ["W", "B", "G", "Y", "R", "K"] * 5


@pytest.mark.rule("HR-7")
def test_every_field_says_what_stands_there() -> None:
    root = read(GAME.picture(view_of(conference(), 0), "en", "light"))
    said = [title_of(found) for found in root.iter() if title_of(found).startswith("Field ")]
    assert len(said) == 30
    assert said[4:9] == [
        "Field 5, red: red follower",
        "Field 6, black: red follower",
        "Field 7, white: yellow speaker",
        "Field 8, blue: white follower",
        "Field 9, green: free",
    ]


@pytest.mark.rule("HR-57")
@pytest.mark.parametrize(("name", "shown"), [("conference", 0), ("vote", 1)])
def test_trilith_stands_in_the_middle_once_the_vote_has_begun(name: str, shown: int) -> None:
    root = read(GAME.picture(view_of(POSITIONS[name](), 0), "en", "light"))
    assert len(marked(root, "hr-vote")) == shown


@pytest.mark.rule("HR-24")
def test_arguments_of_every_seat_lie_open() -> None:
    for viewer in (SPECTATOR, 0, 1):
        root = read(GAME.picture(view_of(conference(), viewer), "en", "light"))
        said = [title_of(found) for found in root.iter() if title_of(found).endswith(("argument", "arguments"))]
        assert said[:5] == [
            "In the supply: 7 white arguments",
            "In the supply: 10 blue arguments",
            "In the supply: 4 green arguments",
            "In the supply: 10 yellow arguments",
            "In the supply: 9 red arguments",
        ]
        white, blue = said[5:10], said[20:25]
        assert white[0] == "3 white arguments"
        assert white[4] == "one red argument"
        assert blue[2] == "6 green arguments"


def test_groups_blocks_and_the_way_to_sixteen_are_drawn() -> None:
    root = read(GAME.picture(view_of(conference(), 0), "en", "light"))
    assert len(marked(root, "hr-under")) == 1  # the two reds
    titles = [title_of(found) for found in root.iter()]
    assert titles.count("Longest block: 2/16") == 2
    won = read(GAME.picture(view_of(POSITIONS["won"](), 1), "en", "light"))
    assert "Longest block: 16/16" in [title_of(found) for found in won.iter()]


def test_themes_differ_in_their_style_alone() -> None:
    view = view_of(conference(), 2)
    light, dark = (GAME.picture(view, "it", theme) for theme in THEMES)
    assert light != dark
    plain = [re.sub(r"<style>.*</style>|hr-(light|dark)", "", svg) for svg in (light, dark)]
    assert plain[0] == plain[1]
    rules = re.findall(r"(\.hr-dark[^{]*)\{", dark)
    style = re.search(r"<style>(.*)</style>", dark)
    assert style
    assert len(rules) == style[1].count("{")
    with pytest.raises(KeyError):
        GAME.picture(view, "it", "sepia")


def wide(svg: str) -> list[str | None]:
    return [found.text for found in marked(read(svg), "hr-said")]


def test_long_headline_takes_a_second_line_and_moves_the_rest() -> None:
    view = view_of(position(turns=300, winner="contra", pieces={3: "red"}), 0)
    assert wide(GAME.picture(view, "de", "light")) == [
        "Contra bringt den Antrag zu Fall, mit dem",
        "größeren Rückhalt am Ende der Debatte.",
    ]
    short = view_of(position(), 0)
    assert wide(GAME.picture(short, "de", "light")) == [GAME.headline(short, "de")]
    roots = [read(GAME.picture(each, "de", "light")) for each in (short, view)]
    heights = [int((root.get("viewBox") or "").split()[3]) for root in roots]
    assert heights[1] == heights[0] + 34


@pytest.mark.parametrize(
    ("owners", "found"),
    [
        pytest.param([None] * 4, [], id="nobody"),
        pytest.param(["a", None, "b", "b"], [Run("a", 1, 1), Run("b", 3, 2)], id="in order"),
        pytest.param(["a", None, "b", "a"], [Run("a", 4, 2), Run("b", 3, 1)], id="over the seam"),
        pytest.param(["a", None, "a", None], [Run("a", 1, 1), Run("a", 3, 1)], id="apart"),
        pytest.param(["a"] * 4, [Run("a", 1, 4)], id="all around"),
    ],
)
def test_runs_close_the_ring(owners: list[str | None], found: list[Run]) -> None:
    assert runs(owners) == found


@pytest.mark.rule("HR-17", "HR-18", "HR-D4")
def test_groups_are_of_a_colour_and_blocks_of_a_faction() -> None:
    ring = view_of(position(pieces={30: "white", 1: "yellow speaker", 2: "yellow", 3: "red", 5: "blue"}), 0).ring
    assert groups(ring) == [Run("yellow", 1, 2), Run("red", 3, 1), Run("blue", 5, 1), Run("white", 30, 1)]
    assert blocks(ring) == [Run("pro", 30, 3), Run("contra", 3, 1), Run("contra", 5, 1)]


def test_pictures_of_the_documents_are_drawn_from_a_view_that_a_table_has() -> None:
    files = list(FOLDER.glob("*.json"))
    assert FOLDER / "hoher-rat.json" in files
    view = msgspec.json.decode((FOLDER / "hoher-rat.json").read_bytes(), type=CouncilView)
    assert GAME.view(GAME.from_view(view, FastDice(1)), 0) == view
    for file, svg in draw_pictures():
        assert file.read_text("utf-8") == svg, f"{file}: python3 dev.py run tests.draw_pictures draws it"
