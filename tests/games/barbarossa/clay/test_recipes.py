"""The recipes: one for every term, each a sculpture that any player could make, no two alike."""

import re

import pytest

from games.barbarossa.clay.check import fault, share, used
from games.barbarossa.clay.fit import box
from games.barbarossa.clay.recipes.book import recipes, texts
from games.barbarossa.clay.recipes.text import RecipeError, lumps
from games.barbarossa.clay.settle import canonical, read, settle
from games.barbarossa.terms.catalogue import TERMS

NAMES = {term.id: term.name("en") for term in TERMS}


def test_every_term_has_a_recipe_under_its_name() -> None:
    assert {term: text.splitlines()[0] for term, text in texts().items()} == {
        term: f"# {name}" for term, name in NAMES.items()
    }


def test_every_recipe_is_a_settled_sculpture_of_its_own_of_a_few_lumps_and_well_filled() -> None:
    for recipe in recipes().values():
        assert settle(recipe.clay) == recipe.clay
        for roll in (share(2), share(3)):
            assert fault(recipe.clay, roll) is None
            assert read(canonical(recipe.clay), roll) == recipe.clay
        assert 4 <= len(recipe.clay.parts) == len(recipe.salience) <= 12
        assert min(recipe.salience) > 0
        assert sum(recipe.salience) == pytest.approx(1)
        longest = max(above - below for below, above in zip(*box(recipe.clay.parts), strict=True))
        assert longest > 0.9 or used(recipe.clay) > 0.85 * share(3)
    assert len({canonical(recipe.clay) for recipe in recipes().values()}) == len(recipes())


def test_recipes_without_repetitions_have_the_lumps_of_their_lines() -> None:
    plain = re.compile(r"(\d+) ([a-z]+)(?: +-?[\d.]+){6,9}")
    compared = 0
    for term, text in texts().items():
        lines = [plain.fullmatch(line) for line in text.splitlines()[1:] if line]
        written = [(line[2], int(line[1])) for line in lines if line]
        if len(written) < len(lines):
            continue
        recipe = recipes()[term]
        assert sorted(part.shape for part in recipe.clay.parts) == sorted(kind for kind, _ in written)
        weight = sum(each for _, each in written)
        assert sorted(recipe.salience) == pytest.approx(sorted(each / weight for _, each in written))
        compared += 1
    assert compared > 20


def test_a_line_is_a_lump() -> None:
    (lump,) = lumps("3 capsule 1 2 3  4 5 6  0 90 0")
    assert (lump.shape, lump.middle, lump.size) == ("capsule", (1, 2, 3), (4, 5, 6))
    assert (lump.turn, lump.weight) == ((0, 90, 0), 3)


@pytest.mark.parametrize(
    ("line", "middles", "turns"),
    [
        ("2 cone 1 2 3 4 4 4 10 20 30 x", [(1, 2, 3), (-1, 2, 3)], [(10, 20, 30), (10, -20, -30)]),
        ("2 cone 1 2 3 4 4 4 10 20 30 y", [(1, 2, 3), (1, -2, 3)], [(10, 20, 30), (-10, 20, -30)]),
        ("2 ball 5 0 3 4 4 4 o2", [(5, 0, 3), (-5, 0, 3)], [(0, 0, 0), (0, 0, 180)]),
        ("2 ball 0 1 9 4 4 4 v2:5", [(0, 1, 9), (0, 1, 1)], [(0, 0, 0), (180, 0, 180)]),
        ("2 ball 1 1 1 4 4 4 r2:0,0,7", [(1, 1, 1), (1, 1, 8)], [(0, 0, 0), (0, 0, 0)]),
    ],
)
def test_a_lump_is_repeated(line: str, middles: list[tuple[float, ...]], turns: list[tuple[float, ...]]) -> None:
    made = lumps(line)
    assert [lump.middle for lump in made] == [pytest.approx(middle) for middle in middles]
    assert [tuple(round(angle) % 360 for angle in lump.turn) for lump in made] == [
        tuple(round(angle) % 360 for angle in turn) for turn in turns
    ]
    assert [lump.weight for lump in made] == [1, 1]


def test_four_mirrored_lumps_share_their_weight() -> None:
    made = lumps("2 ball 1 2 3 4 4 4 xy")
    assert {lump.middle for lump in made} == {(1, 2, 3), (-1, 2, 3), (1, -2, 3), (-1, -2, 3)}
    assert {lump.weight for lump in made} == {0.5}


def test_all_lumps_so_far_are_turned() -> None:
    first, second = lumps("1 ball 1 0 0 2 2 2\n= 0 0 90\n1 ball 1 0 0 2 2 2")
    assert first.middle == pytest.approx((0, 1, 0))
    assert second.middle == (1, 0, 0)


def test_an_animal_has_places_for_its_features() -> None:
    made = lumps("1 @quad 46 18 20 24 7 14 10 30 18 18 18\n1 ^ball 0 0 0 2 2 2\n1 ~ball 0 0 0 2 2 2")
    assert made[-2].middle == made[6].middle  # the head
    assert made[-1].middle == made[0].middle  # the trunk
    assert len(made) == 9


@pytest.mark.parametrize(
    "line",
    [
        "1 pearl 0 0 0 1 1 1",
        "1 ball 0 0 0 1 1",
        "x ball 0 0 0 1 1 1",
        "1 ^ball 0 0 0 1 1 1",
        "1 @quad 1",
        "1 ball 0 0 0 1 1 1 r2",
        "= 1 2",
    ],
)
def test_a_line_that_cannot_be_read_is_named(line: str) -> None:
    with pytest.raises(RecipeError, match=line.split()[1].replace("^", r"\^")):
        lumps(line)
