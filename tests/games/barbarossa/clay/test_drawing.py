"""Pictures of sculptures: the near hides the far, light falls from above, and nothing but shapes is in them."""

import re
from cProfile import Profile
from itertools import pairwise
from random import Random
from typing import Final
from xml.etree import ElementTree as ET

import msgspec
import pytest

from games.barbarossa.clay.check import ROLL, fault, share
from games.barbarossa.clay.drawing.bands import outline, rim, steps
from games.barbarossa.clay.drawing.camera import Camera
from games.barbarossa.clay.drawing.ink import sheet
from games.barbarossa.clay.drawing.mesh import Frame, Lump, visible
from games.barbarossa.clay.drawing.order import back_to_front
from games.barbarossa.clay.drawing.paint import STEPS, NoColourError, ramp
from games.barbarossa.clay.drawing.sculpture import AZIMUTH, ELEVATION, MAX_CHARACTERS, SIDE, figure, picture
from games.barbarossa.clay.drawing.silhouette import LINES, spots, thickness
from games.barbarossa.clay.drawing.surface import grid, outside
from games.barbarossa.clay.drawing.work import Work
from games.barbarossa.clay.fit import fitted
from games.barbarossa.clay.form import PARTS, SHAPES, Clay, Part, Shape, Strokes
from games.barbarossa.clay.recipes.book import recipes
from games.barbarossa.clay.settle import settled
from games.barbarossa.drawing import pieces as pieces_module
from games.barbarossa.drawing.pieces import DETAIL, EACH, Placed, draw_pieces, draw_sculpture
from games.barbarossa.drawing.style import Look
from tests.games.barbarossa.clay.pictures import FOLDER, draw_pictures

SVG: Final = "{http://www.w3.org/2000/svg}"
LIMIT: Final = MAX_CHARACTERS + 200
RED: Final = "#c8402f"
FRAME: Final = Frame(1000, -0.5, 1.0)
CAMERA: Final = Camera.at(AZIMUTH, ELEVATION)
MAX_STEP_COST: Final = 10_000
"""More than is ever counted at once."""
TAGS: Final = {"svg", "g", "defs", "filter", "feGaussianBlur", "clipPath", "ellipse", "path"}
COLUMNS: Final = [f"{letter}{1 + 7 * number % 15}" for number, letter in enumerate("acegikmoqsuw")]


def lump(shape: Shape, middle: tuple[float, float, float], size: tuple[float, float, float]) -> Part:
    return Part(shape=shape, position=middle, size=size)


def crowd(seed: int) -> Clay:
    """Return as many lumps of all shapes as are allowed, thrown together."""
    random = Random(seed)

    def three(low: float, high: float) -> tuple[float, float, float]:
        return random.uniform(low, high), random.uniform(low, high), random.uniform(low, high)

    parts = [
        Part(shape=SHAPES[number % len(SHAPES)], position=three(0, 1), rotation=three(0, 360), size=three(0.1, 0.4))
        for number in range(PARTS)
    ]
    return fitted(parts, ROLL)


def order(parts: list[Part], azimuth: float) -> list[int]:
    camera = Camera.at(azimuth, 20)
    lumps = [Lump.of(part, camera) for part in parts]
    pieces = [piece for number in range(len(parts)) for piece in visible(number, lumps, camera, FRAME, 1.0)]
    return [piece.home.lump for piece in back_to_front(pieces)]


def corners_of(path: str) -> list[tuple[int, int]]:
    found = []
    for start, rest in re.findall(r"M(-?\d+ -?\d+)l([^zM]*)", path):
        x, y = map(int, start.split())
        found.append((x, y))
        numbers = [int(number) for number in re.findall(r"-?\d+", rest)]
        for dx, dy in zip(numbers[::2], numbers[1::2], strict=True):
            x, y = x + dx, y + dy
            found.append((x, y))
    return found


def area(path: str) -> float:
    total = 0
    for loop in re.findall(r"M[^z]*z", path):
        corners = corners_of(loop)
        total += sum(ax * by - bx * ay for (ax, ay), (bx, by) in pairwise([*corners, corners[0]]))
    return abs(total) / 2


@pytest.mark.parametrize("term", COLUMNS)
def test_a_picture_holds_nothing_but_shapes(term: str) -> None:
    drawn = picture(recipes()[term].clay, RED)
    root = ET.fromstring(drawn)  # noqa: S314 -- our own picture
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= TAGS
    assert not any(element.text or element.tail for element in root.iter())
    assert "href" not in drawn
    assert not re.search(r"url\((?!#clay-)", drawn)
    assert len(drawn) <= LIMIT


@pytest.mark.parametrize("seed", [1, 2])
def test_the_fullest_sculptures_stay_within_their_bytes(seed: int) -> None:
    assert len(picture(crowd(seed), RED, 40 * seed)) <= LIMIT


def test_a_lump_that_touches_the_ground_with_its_tip_alone_has_a_shadow_with_a_valid_path() -> None:
    cone = Part(shape="cone", position=(0.0, 0.0, 0.1), rotation=(340.0, 135.0, 170.0), size=(0.08, 0.06, 0.14))
    assert not re.search(r"M[zZ]", picture(Clay(parts=(cone,)), "#c62828"))


def test_the_same_sculpture_is_always_drawn_alike() -> None:
    clay = recipes()["f15"].clay
    again = msgspec.json.decode(msgspec.json.encode(clay), type=Clay)
    assert picture(again, RED) == picture(clay, RED)
    assert picture(clay, RED, 360 - 25) == picture(clay, RED, -25)


def test_themes_and_colours_change_the_colours_alone() -> None:
    clay = recipes()["d10"].clay
    light, dark, blue = picture(clay, RED), picture(clay, RED, theme="dark"), picture(clay, "#2f6db3")
    assert light != dark != blue != light
    assert len({re.sub(r"#[0-9a-f]{6}", "", drawn) for drawn in (light, dark, blue)}) == 1


@pytest.mark.parametrize("colour", ["red", "#fff", '#ffffff"/><script>', "#12345g", "", "#1234567"])
def test_a_colour_is_six_digits_and_nothing_else(colour: str) -> None:
    with pytest.raises(NoColourError):
        picture(recipes()["f15"].clay, colour)


@pytest.mark.parametrize("colour", ["#000000", "#ffffff", RED, "#2f6db3", "#f0c63f"])
def test_every_colour_has_a_ramp_from_dark_to_bright(colour: str) -> None:
    tones = [int(tone[1:3], 16) + int(tone[3:5], 16) + int(tone[5:], 16) for tone in ramp(colour)]
    assert tones == sorted(tones)
    assert len(set(tones)) >= STEPS - 3  # white has hardly anything above it
    assert tones[-1] - tones[0] > 120


@pytest.mark.parametrize("azimuth", [0, 75, 200])
@pytest.mark.parametrize("elevation", [0, 25, 90])
def test_the_sculpture_stays_in_the_picture(azimuth: float, elevation: float) -> None:
    root = ET.fromstring(picture(recipes()["a4"].clay, RED, azimuth, elevation))  # noqa: S314 -- our own picture
    drawn = [
        spot for path in root.iter(f"{SVG}path") if "filter" not in path.attrib for spot in corners_of(path.attrib["d"])
    ]
    assert len(drawn) > 500
    assert all(0 <= x <= SIDE and 0 <= y <= SIDE for x, y in drawn)


def test_the_nearer_lump_lies_on_top_from_either_side() -> None:
    front = lump("ball", (0, -0.2, 0.3), (0.2, 0.2, 0.2))
    back = lump("block", (0, 0.2, 0.3), (0.6, 0.05, 0.5))
    assert order([front, back], 0) == [1, 0]
    assert order([front, back], 180) == [0, 1]


def test_a_thing_on_a_plate_lies_on_top_of_the_plate() -> None:
    plate = lump("slab", (0, 0, 0.05), (0.9, 0.9, 0.1))
    thing = lump("ball", (0, 0.3, 0.2), (0.2, 0.2, 0.2))
    assert order([plate, thing], 0) == [0, 1]
    assert order([thing, plate], 0) == [1, 0]


@pytest.mark.parametrize("azimuth", [-60, -25, 10])
def test_a_small_bump_on_a_flat_face_lies_on_top(azimuth: float) -> None:
    die = lump("block", (0, 0, 0.32), (0.6, 0.6, 0.6))
    pips = [lump("ball", (x, y, 0.61), (0.13, 0.13, 0.07)) for x in (-0.16, 0, 0.16) for y in (-0.16, 0, 0.16)]
    laid = order([die, *pips], azimuth)
    assert laid[0] == 0
    assert sorted(laid[1:]) == list(range(1, 10))


def test_a_ring_goes_behind_and_before_what_it_surrounds() -> None:
    laid = order([lump("ball", (0, 0, 0.4), (0.4, 0.4, 0.4)), lump("torus", (0, 0, 0.4), (0.8, 0.8, 0.1))], 0)
    assert laid[0] == laid[-1] == 1
    assert 0 in laid[1:-1]


def test_surfaces_within_another_lump_are_not_drawn() -> None:
    assert set(order([lump("ball", (0, 0, 0.4), (0.5, 0.5, 0.5)), lump("block", (0, 0, 0.4), (0.2, 0.2, 0.2))], 0)) == {
        0
    }


def test_a_ball_is_drawn_round() -> None:
    camera = Camera.at(33, 20)
    (piece,) = visible(0, [Lump.of(lump("ball", (0, 0, 0.4), (0.4, 0.4, 0.4)), camera)], camera, FRAME, 1.0)
    path = outline(rim(piece.cells))
    centre = (FRAME.x(0), FRAME.y(camera.seen((0, 0, 0.4))[1]))
    radii = [((x - centre[0]) ** 2 + (y - centre[1]) ** 2) ** 0.5 for x, y in corners_of(path)]
    assert len(radii) > 20
    assert max(abs(radius - 200) for radius in radii) < 4
    assert area(path) == pytest.approx(3.1416 * 200**2, rel=0.02)


def test_brighter_steps_lie_within_darker_ones_and_up_in_the_light() -> None:
    camera = Camera.at(0, 20)
    (piece,) = visible(0, [Lump.of(lump("ball", (0, 0, 0.4), (0.4, 0.4, 0.4)), camera)], camera, FRAME, 1.0)
    sides = rim(piece.cells)
    paths = list(steps(piece.cells, sides, [step / STEPS for step in range(3, STEPS)]))
    areas = [area(path) for path in paths]
    assert areas == sorted(areas, reverse=True)
    bright = corners_of(next(path for path, size in zip(paths, areas, strict=True) if 0 < size < 10_000))
    whole = corners_of(outline(sides))
    assert sum(x for x, _ in bright) / len(bright) < sum(x for x, _ in whole) / len(whole)
    assert sum(y for _, y in bright) / len(bright) < sum(y for _, y in whole) / len(whole)


def test_sides_that_two_cells_share_fall_away() -> None:
    left = [(0, 0, 0.5), (10, 0, 0.5), (10, 10, 0.5), (0, 10, 0.5)]
    right = [(10, 0, 0.5), (20, 0, 0.5), (20, 10, 0.5), (10, 10, 0.5)]
    assert len(rim([left, right])) == 6
    assert area(outline(rim([left, right]))) == 200


@pytest.mark.parametrize("shape", SHAPES)
def test_the_surface_of_a_shape_is_where_its_outside_begins(shape: Shape) -> None:
    a, b, c = {"torus": (0.3, 0.25, 0.06), "bend": (0.3, 0.05, 0.2), "ribbon": (0.4, 0.1, 0.09)}.get(
        shape, (0.3, 0.2, 0.25)
    )
    far = outside(shape, a, b, c)
    vertices = [vertex for row in grid(shape, a, b, c, 24) for vertex in row]
    assert max(abs(far(x, y, z)) for x, y, z, *_ in vertices) < 0.035
    for x, y, z, i, j, k in vertices:
        length = (i * i + j * j + k * k) ** 0.5
        assert far(x + 0.05 * i / length, y + 0.05 * j / length, z + 0.05 * k / length) > 0


def tangle(seed: int, shape: Shape = "torus") -> Clay:
    """Return the dearest figure: as many thin lumps as are allowed around one middle, each turned another way."""
    random = Random(seed)
    parts = [
        Part(
            shape=shape,
            position=(0, 0, 0.5),
            rotation=(random.uniform(0, 360), random.uniform(0, 360), random.uniform(0, 360)),
            size=(random.uniform(0.3, 0.39), random.uniform(0.3, 0.39), 0.02),
        )
        for _ in range(PARTS)
    ]
    found = settled(parts)
    assert fault(found, share(3)) is None
    return found


def test_a_figure_of_a_bot_is_drawn_in_few_steps() -> None:
    for term in COLUMNS:
        work = Work()
        figure(recipes()[term].clay, RED, CAMERA, "light", DETAIL, "", work)
        assert 1_000 < work.done < EACH / 2


@pytest.mark.thorough
@pytest.mark.parametrize("shape", SHAPES)
def test_a_tangled_figure_is_drawn_in_no_more_steps_than_it_may_take(shape: Shape) -> None:
    work = Work(EACH)
    drawn = figure(tangle(1, shape), RED, CAMERA, "light", DETAIL, "", work)
    assert work.done <= EACH + MAX_STEP_COST
    assert len(drawn) < 50_000


def test_all_that_a_drawing_does_is_counted() -> None:
    work, profile = Work(EACH), Profile(builtins=False)
    with profile:
        figure(tangle(2, "ribbon"), RED, CAMERA, "light", DETAIL, "", work)
    assert 0 < sum(int(each.callcount) for each in profile.getstats()) < 1.5 * work.done


def test_the_figures_of_a_hall_share_their_steps_and_the_simplest_are_drawn_first() -> None:
    simple = [Placed(recipes()[term].clay, RED, f"-{number}") for number, term in enumerate(COLUMNS[:6])]
    tangled = [Placed(tangle(number), RED, f"-{number}") for number in (6, 7, 8)]
    drawn = draw_pieces([*tangled, *simple], Look("light"))
    alone = draw_pieces(simple, Look("light"))
    assert drawn[3:] == alone
    assert all('<g opacity="0.3"' in text for text in drawn[:3])
    assert not any('<g opacity="0.3"' in text for text in alone)


@pytest.mark.parametrize(
    "shape", ["torus", *(pytest.param(shape, marks=pytest.mark.thorough) for shape in ("ribbon", "block"))]
)
def test_the_dearest_hall_is_drawn_in_the_allowed_steps(shape: Shape, monkeypatch: pytest.MonkeyPatch) -> None:
    spent: list[int] = []
    spend = Work.spend

    def note(work: Work, steps: int) -> None:
        spent.append(steps)
        spend(work, steps)

    monkeypatch.setattr(Work, "spend", note)
    draw_sculpture.cache_clear()
    pieces = [Placed(tangle(number, shape), RED, f"-{number}") for number in range(9)]
    drawn = draw_pieces(pieces, Look("light"))
    assert sum(spent) <= pieces_module.STEPS + 9 * MAX_STEP_COST
    again = draw_pieces(pieces, Look("light"))
    assert again == drawn
    draw_sculpture.cache_clear()
    assert draw_pieces(pieces, Look("light")) == drawn


@pytest.mark.parametrize("shape", SHAPES)
def test_an_outline_is_as_large_as_the_lump(shape: Shape) -> None:
    part = Part(shape=shape, position=(0.1, 0, 0.4), rotation=(20, 75, 130), size=(0.4, 0.3, 0.2))
    lump_ = Lump.of(part, CAMERA)
    cells = [cell for piece in visible(0, [lump_], CAMERA, FRAME, 1.0) for cell in piece.cells]
    corners = [corner for cell in cells for corner in cell]
    right, up, _ = CAMERA.rows
    broad = thickness(part) * FRAME.scale if shape in LINES else 0.0
    places = [(FRAME.x(x), FRAME.y(y)) for x, y in spots(part, right, up)]
    for axis in (0, 1):
        low, high = (pick(place[axis] for place in places) for pick in (min, max))
        seen_low, seen_high = (pick(corner[axis] for corner in corners) for pick in (min, max))
        assert abs(low - broad - seen_low) < 40
        assert abs(high + broad - seen_high) < 40


def test_ink_runs_from_the_first_point_to_the_last() -> None:
    drawn = sheet(Strokes(strokes=(((10, 20), (30, 40), (50, 20), (70, 90)), ((5, 6),), ((1, 2), (3, 4)))), RED)
    root = ET.fromstring(drawn)  # noqa: S314 -- our own picture
    (path,) = root.iter(f"{SVG}path")
    assert path.attrib["d"] == "M10 20Q30 40 40 30Q50 20 70 90M5 6L5 6M1 2L3 4"
    assert path.attrib["stroke-linecap"] == "round"
    assert {element.tag.removeprefix(SVG) for element in root.iter()} == {"svg", "g", "rect", "path"}
    assert drawn != sheet(Strokes(strokes=(((5, 6),),)), RED, "dark")


def test_the_pictures_of_the_documentation_are_up_to_date() -> None:
    for name, svg in draw_pictures().items():
        assert (FOLDER / name).read_text("utf-8") == svg, "dev.py run tests.games.barbarossa.clay.pictures draws it"
