"""The picture of a hall: drawn from a view, and from nothing but it."""

import re
from typing import Final
from xml.etree import ElementTree as ET

import msgspec
import pytest

from games.barbarossa.clay.check import share, used
from games.barbarossa.clay.form import Clay, Part, Strokes
from games.barbarossa.clay.recipes.book import recipes
from games.barbarossa.drawing.picture import picture
from games.barbarossa.drawing.pieces import FIGURE, Placed, draw_pieces, draw_sculpture
from games.barbarossa.drawing.style import SEATS, Look
from games.barbarossa.drawing.tables import MAX_HEIGHT, spears
from games.barbarossa.drawing.talk import MAX_LINES, WIDTH, plain
from games.barbarossa.moves import AnswerQuestion, AskFreely, EndAsking, ModelRiddles, Sketch
from games.barbarossa.observation import view
from games.barbarossa.options import WizardOptions
from games.barbarossa.speech import spoken_texts
from games.barbarossa.table.hall import Hall
from games.barbarossa.table.phases import FIRST_ROUND, OVER
from games.barbarossa.terms.catalogue import TERMS
from games.core.bits import bit
from games.core.svg import MIN_TEXT_SIZE, breadth
from games.core.table import SPECTATOR
from games.core.texts import LANGUAGES
from tests.games.barbarossa.positions import (
    after,
    learn,
    modelled,
    opening,
    play,
    question_of,
    riddles,
    solve_all,
    sound,
    standing,
    terms_of,
)

TEXTS: Final = spoken_texts()
SVG: Final = "{http://www.w3.org/2000/svg}"
MIXED: Final = WizardOptions(questions="mixed", answers="human")


def read(hall: Hall, viewer: int = SPECTATOR, language: str = "en", theme: str = "light") -> ET.Element:
    return ET.fromstring(picture(view(hall, viewer, "x"), language, theme, TEXTS))  # noqa: S314 -- our own text


def of_class(root: ET.Element, class_: str) -> list[ET.Element]:
    return [found for found in root.iter() if class_ in (found.get("class") or "").split()]


def texts_of(root: ET.Element) -> list[str]:
    return [found.text or "" for found in root.iter(f"{SVG}text")]


def talk_of(root: ET.Element) -> str:
    """Return the talk in one line, however it is folded."""
    return " ".join(found.text or "" for found in of_class(root, "br-said"))


def titles_of(root: ET.Element) -> list[str]:
    return [found.text or "" for found in root.iter(f"{SVG}title")]


def place(found: ET.Element) -> tuple[float, float]:
    moved = re.match(r"translate\((\S+) (\S+)\)", found.get("transform") or "")
    assert moved
    return float(moved[1]), float(moved[2])


def hats(root: ET.Element) -> dict[str, tuple[float, float]]:
    """Return the places of the hats on the stairs, by their descriptions."""
    found = {
        (group.findtext(f"{SVG}title") or "").partition(":")[0]: place(group)
        for group in root.iter(f"{SVG}g")
        if any(inner.get("href") == "#br-hat" for inner in group) and group.findtext(f"{SVG}title")
    }
    assert found
    return found


def busy(seats: int) -> Hall:
    """Return a table in a first round, with spears, answers, letters, and attempts that failed."""
    hall = solve_all(modelled(seats), [(1, 0), (2, 0), (0, 3)])
    hall.player(0).cave = 3
    hall.phase = FIRST_ROUND
    hall.player(1).hat, hall.player(2).hat = -3, 17
    learn(hall, seats, 0, places=bit(0))
    learn(hall, 0, 2, wrong=[200], close=[6])
    return sound(hall)


HALLS: Final = {
    "opening": lambda: opening(4),
    "own riddles": lambda: after(opening(3), (0, riddles(*terms_of(0, 3)))),
    "busy with three": lambda: busy(3),
    "busy with four": lambda: busy(4),
    "free question": lambda: after(standing(FIRST_ROUND, 3, MIXED), (0, AskFreely(riddle=3, text="Is it <b>red</b>?"))),
}


@pytest.mark.rule("BR-17", "BR-D41")
def test_others_figures_are_covered_until_all_are_ready() -> None:
    hall = after(opening(3), (0, riddles(*terms_of(0, 3))))
    assert [len(of_class(read(hall, viewer), "br-cloth")) for viewer in (SPECTATOR, 0, 1)] == [9, 6, 9]
    assert not of_class(read(modelled(3)), "br-cloth")


@pytest.mark.rule("BR-14")
def test_a_term_is_written_for_those_who_know_it() -> None:
    hall = busy(3)
    word = TERMS[hall.riddle(0).term].name("en")
    assert [f"1. {word}" in texts_of(read(hall, viewer)) for viewer in (SPECTATOR, 0, 1, 2)] == [
        False,
        True,
        True,
        True,
    ]
    hidden = TERMS[hall.riddle(1).term].name("en")
    assert [hidden in "".join(texts_of(read(hall, viewer))) for viewer in (0, 1)] == [True, False]


@pytest.mark.rule("BR-39")
def test_spears_stick_in_riddles_under_their_solvers_flags() -> None:
    root = read(busy(3))
    flags = [found.get("class") for found in root.iter(f"{SVG}g") if "scale(" in (found.get("transform") or "")]
    assert [flag for flag in flags if flag] == ["br-s1", "br-s2", "br-s0"]
    assert titles_of(root).count("Solved by Blue") == titles_of(root).count("Solved by Red") == 1
    assert "3 of 13 spears placed" in texts_of(root)
    rack = [found.get("class") for found in root.iter(f"{SVG}use") if found.get("href") == "#br-spear"]
    assert rack == ["br-out"] * 3 + [None] * 10


@pytest.mark.parametrize("angle", [0, 115])
@pytest.mark.parametrize("solvers", [[1], [1, 2]])
def test_spears_and_their_flags_stay_over_the_table(solvers: list[int], angle: int) -> None:
    seen = view(modelled(4), SPECTATOR, "x")
    margin = 25
    for recipe in recipes().values():
        riddle = msgspec.structs.replace(seen.riddles[0], piece=recipe.clay, solvers=solvers)
        for svg in spears(seen, riddle, Look("light", angle), "en", TEXTS):
            found = re.search(r"translate\((\S+) (\S+)\) scale\((-?1) 1\)", svg)
            assert found
            x, y, side = map(float, found.groups())
            assert -margin <= min(x, x + 76 * side)
            assert max(x, x + 76 * side) <= FIGURE + margin
            assert MAX_HEIGHT <= y <= FIGURE


@pytest.mark.rule("BR-44")
def test_the_effect_of_the_next_solution_is_marked() -> None:
    (step,) = [found.text for found in of_class(read(busy(3)), "br-accent")]
    assert step == "−1"  # noqa: RUF001 -- a true minus


@pytest.mark.rule("BR-50", "BR-D11")
def test_a_letter_is_written_for_asker_and_modeller_and_its_place_for_all() -> None:
    hall = busy(4)
    letter = TERMS[hall.riddle(4).term].name("de")[0].upper()
    for viewer, shown_letter in ((SPECTATOR, "?"), (0, letter), (1, "?"), (2, letter)):
        (tile,) = [
            found
            for found in read(hall, viewer).iter(f"{SVG}g")
            if found.get("class") == "br-s0" and any(inner.get("class") == "br-tile" for inner in found)
        ]
        assert [inner.text for inner in tile.iter(f"{SVG}text")] == [shown_letter, "1"]


def test_letters_that_do_not_fit_are_counted() -> None:
    hall = modelled(4)
    for seat in (1, 2, 3):
        learn(hall, 0, seat, places=0b1111)
    root = read(sound(hall), 1)
    tiles = len(of_class(root, "br-tile")) - 1  # without the legend's
    assert tiles < 12
    assert f"+{12 - tiles}" in texts_of(root)


@pytest.mark.rule("BR-36", "BR-D10")
def test_words_of_failed_attempts_are_told_to_those_who_know_them() -> None:
    hall = busy(3)
    words = [TERMS[200].name("en"), TERMS[6].name("en")]
    for viewer, knows in ((SPECTATOR, False), (0, True), (1, False), (2, True)):
        line = next(found for found in titles_of(read(hall, viewer)) if found.startswith("Green: 1 wrong, 1 close"))
        assert all(word in line for word in words) == knows


@pytest.mark.rule("BR-8", "BR-D24")
def test_hats_stand_on_the_stairs_and_on_each_other() -> None:
    start = hats(read(modelled(4)))
    assert len({x for x, _ in start.values()}) == 1
    assert len({y for _, y in start.values()}) == 4
    hall = busy(3)
    apart = hats(read(hall))
    assert apart["Blue"][0] < apart["Red"][0] < apart["Green"][0]
    assert apart["Blue"][1] > apart["Red"][1] > apart["Green"][1]
    hall.player(1).hat = -150
    far = hats(read(hall))
    assert 0 < far["Blue"][0] < far["Red"][0]


def test_a_hat_beyond_the_goal_stands_under_the_key() -> None:
    hall = modelled(3)
    hall.player(2).hat, hall.winners, hall.phase = 33, 0b100, OVER
    root = read(hall)
    (key,) = [found for found in root.iter(f"{SVG}use") if found.get("href") == "#br-key"]
    assert hats(root)["Green"][0] == pytest.approx(place(key)[0], abs=0.1)
    assert len(of_class(root, "br-acting")) == 1


@pytest.mark.rule("BR-9", "BR-21")
def test_wizards_stand_before_their_caves_clockwise() -> None:
    hall = modelled(3)
    hall.player(1).cave, hall.player(2).cave = 2, 6
    root = read(hall)
    spots = {
        found.findtext(f"{SVG}title"): place(cave)
        for cave in root.iter(f"{SVG}g")
        for found in cave
        if any(inner.get("href") == "#br-wizard" for inner in found)
    }
    red, blue, green = (spots[name] for name in ("Red", "Blue", "Green"))
    assert blue[0] > red[0] == green[0]
    assert blue[1] == red[1] < green[1]


@pytest.mark.rule("BR-28")
def test_questions_of_this_round_and_answers_are_written() -> None:
    hall = standing(FIRST_ROUND)
    move = question_of(hall, 3, 1)
    hall, _ = play(hall, 0, move)
    lines = talk_of(read(hall, 2))
    assert "Blue's 1st riddle: " in lines
    assert lines.endswith("– yes")  # noqa: RUF001 -- a dash between question and answer


@pytest.mark.rule("BR-28", "BR-D33")
def test_a_person_who_answers_otherwise_in_a_later_round_is_written_down_with_both() -> None:
    hall = standing(FIRST_ROUND, 3, WizardOptions(answers="human", language="en"))
    move = question_of(hall, 3, 1)
    hall = after(hall, (0, move), (1, AnswerQuestion(answer="yes")), (0, EndAsking()))
    hall = after(hall, (0, move), (1, AnswerQuestion(answer="perhaps")))
    lines = talk_of(read(hall))
    assert lines.startswith("Blue's 1st riddle: ")
    assert lines.endswith("yes and perhaps")


@pytest.mark.rule("BR-D35")
def test_a_free_question_is_written_as_it_is_and_its_answer_beside_it() -> None:
    hall = HALLS["free question"]()
    assert "Red on Blue's 1st riddle: “Is it <b>red</b>?”" in talk_of(read(hall))
    hall = after(hall, (1, AnswerQuestion(answer="perhaps")))
    question = "Red on Blue's 1st riddle: “Is it <b>red</b>?” – perhaps"  # noqa: RUF001 -- a dash between question and answer
    assert question in talk_of(read(hall))
    hall = after(hall, (0, question_of(hall, 4, 1)))
    lines = talk_of(read(hall))
    assert 0 <= lines.index(question) < lines.index("Red on Blue's 2nd riddle: "), "the open question stands last"


def test_a_players_words_are_harmless_and_bounded() -> None:
    hidden = "a\u202eb\ufffec\u0301\u0301\u200bd\u00a0" + "\u6f22" * 190
    assert plain(hidden)[:7] == "abćd \u6f22\u6f22", "a table from before BR-D54 may hold such words"
    nasty = "abc\u0301\u0301d\u00a0" + "\u6f22" * 190
    assert plain(nasty) == plain(hidden)
    hall = after(standing(FIRST_ROUND, 3, MIXED), (0, AskFreely(riddle=3, text=nasty)))
    lines = [line for line in texts_of(read(hall)) if "\u6f22" in line]
    assert 1 < len(lines) <= MAX_LINES
    assert all(breadth(line, MIN_TEXT_SIZE) <= WIDTH for line in lines)


def test_equal_sculptures_are_told_apart_and_ink_is_drawn_too() -> None:
    ball = Clay(parts=(Part(shape="ball", position=(0.0, 0.0, 0.3), size=(0.5, 0.5, 0.5)),))
    assert used(ball) < share(3)
    pieces: tuple[Clay | Strokes, ...] = (ball, ball, Strokes(strokes=(((10, 20), (30, 40), (50, 20)),)))
    sketches = [Sketch(term=term, piece=piece) for term, piece in zip(("a1", "b1", "c1"), pieces, strict=True)]
    hall, _ = play(opening(3), 0, ModelRiddles(riddles=sketches))
    svg = picture(view(hall, 0, "x"), "en", "light", TEXTS)
    names = re.findall(r'id="(clay-[^"]+)"', svg)
    assert len(names) == len(set(names)) == 4
    assert "M10 20Q30 40 50 20" in svg


def test_another_angle_turns_the_clay_and_nothing_else() -> None:
    seen = view(busy(3), 0, "x")

    def without_clay(angle: int) -> tuple[list[str], list[str]]:
        root = ET.fromstring(picture(seen, "en", "light", TEXTS, angle))  # noqa: S314 -- our own text
        return texts_of(root), titles_of(root)

    front, right, back = (picture(seen, "en", "light", TEXTS, angle) for angle in (0, 90, 180))
    assert len({front, right, back}) == 3, "the pieces look otherwise from every side"
    assert without_clay(90) == without_clay(0)
    assert picture(seen, "en", "light", TEXTS, -270) == right
    ink = Strokes(strokes=(((10, 20), (30, 40), (50, 20)),))
    placed = [Placed(ink, SEATS[0], "-0")]
    assert draw_pieces(placed, Look("light", 90)) == draw_pieces(placed, Look("light"))


def test_the_same_sculpture_is_drawn_once() -> None:
    seen = view(modelled(3), 0, "x")
    picture(seen, "en", "dark", TEXTS)
    before = draw_sculpture.cache_info()
    picture(seen, "de", "dark", TEXTS)
    assert draw_sculpture.cache_info().misses == before.misses
    assert draw_sculpture.cache_info().hits == before.hits + 9


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_legend_tells_what_letters_mean(language: str) -> None:
    first = spoken_texts().sections[language]["picture"]["letters"].split()[:3]
    assert any(line.startswith(" ".join(first)) for line in texts_of(read(modelled(), 0, language)))
