"""The formats of sculptures: one canonical form, one hash, and limits that are exact at their edge."""

import json
import re
from math import nextafter
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.barbarossa.clay.check import REASONS, ROLL, Fault, fault, share, used
from games.barbarossa.clay.form import CLAY_BYTES, PARTS, POINTS, STROKES, STROKES_BYTES, Clay, Part, Strokes
from games.barbarossa.clay.settle import UnfitSculptureError, canonical, digest, read, settle, settled
from games.barbarossa.clay.solid import reach, volume
from games.barbarossa.table.grid import on_grid
from tests.games.barbarossa.clay.sculptures import Json, clays, inks

BALL = {"s": "ball", "p": [0, 0, 0.5], "z": [0.1, 0.1, 0.1]}


HUNDREDTHS = st.builds(lambda steps: steps / 100, st.integers(-100, 100))
ANGLES = st.one_of(st.sampled_from([0.0, -0.0, 5.0, 355.0, 360.0, -5.0, 359.99]), st.floats(-360, 360))
NUMBERS = st.one_of(
    HUNDREDTHS,
    HUNDREDTHS.map(lambda number: nextafter(number, 2.0)),
    HUNDREDTHS.map(lambda number: nextafter(number, -2.0)),
    st.floats(-1, 1),
    st.just(-0.0),
)


def clay(*parts: Json) -> Json:
    """Return clay of these parts, a ball's fields where they name none."""
    return {"format": "clay/1", "parts": [BALL | part for part in parts]}


def text(value: object) -> bytes:
    return json.dumps(value).encode()


def accepted(value: object, room: int = ROLL) -> None:
    assert isinstance(read(value if isinstance(value, bytes) else text(value), room), Clay | Strokes)


def refused(value: object, room: int = ROLL) -> Fault:
    with pytest.raises(UnfitSculptureError) as caught:
        read(value if isinstance(value, bytes) else text(value), room)
    assert caught.value.fault.reason in REASONS
    return caught.value.fault


def reordered(value: Any) -> Any:
    """Return a value with every object's keys the other way round."""
    if isinstance(value, dict):
        return {key: reordered(value[key]) for key in reversed(value)}
    return [reordered(item) for item in value] if isinstance(value, list) else value


@settings(max_examples=50)
@given(clays() | inks())
def test_the_canonical_form_is_read_to_itself(value: Json) -> None:
    sculpture = read(text(value))
    assert canonical(read(canonical(sculpture))) == canonical(sculpture)
    assert read(canonical(sculpture)) == sculpture
    assert settle(sculpture) == sculpture


@settings(max_examples=50)
@given(clays() | inks())
def test_the_hash_is_the_same_in_any_order_of_keys(value: Json) -> None:
    assert digest(read(text(reordered(value)))) == digest(read(text(value)))


@settings(max_examples=50)
@given(clays())
def test_the_hash_is_the_same_in_any_spelling_of_numbers(value: Json) -> None:
    plain = digest(read(text(value)))
    spelled = json.dumps(value)
    for part in value["parts"]:
        for number in {*part["p"], *part["z"]}:
            spelled = re.sub(rf"(?<=[ \[]){re.escape(json.dumps(number))}(?=[,\]])", f"{number:.6e}", spelled)
    assert digest(read(spelled.encode())) == plain


def test_numbers_are_rounded_to_their_grid() -> None:
    rough = read(text(clay({"p": [0.1234, -0.004, 0.5], "r": [47, -2.4, 360], "z": [0.111, 0.119, 0.02]})))
    assert canonical(rough) == (
        b'{"format":"clay/1","parts":[{"p":[0.12,0,0.5],"r":[45,0,0],"s":"ball","z":[0.11,0.12,0.02]}]}'
    )


def test_a_missing_rotation_is_none() -> None:
    assert digest(read(text(clay({})))) == digest(read(text(clay({"r": [0, 360, -360]}))))


def test_sculptures_cannot_be_changed() -> None:
    sculpture = read(text(clay({})))
    assert isinstance(sculpture, Clay)
    with pytest.raises(AttributeError):
        sculpture.parts = ()  # type: ignore[misc]
    with pytest.raises(AttributeError):
        sculpture.parts[0].shape = "egg"  # type: ignore[misc]
    assert hash(sculpture) == hash(read(text(clay({}))))


@pytest.mark.parametrize(
    ("spelling", "pointer"),
    [
        pytest.param(b"NaN", "", id="NaN, which is no JSON"),
        pytest.param(b"Infinity", "", id="Infinity, which is no JSON"),
        pytest.param(b"1e999", "/parts/0/z/0", id="more than a float holds"),
        pytest.param(b"1e300", "/parts/0/z/0", id="huge"),
        pytest.param(b"1.01", "/parts/0/z/0", id="longer than the cube"),
        pytest.param(b"0.01", "/parts/0/z/0", id="too thin"),
        pytest.param(b"-0.5", "/parts/0/z/0", id="negative"),
        pytest.param(b'"0.1"', "/parts/0/z/0", id="a string"),
        pytest.param(b"true", "/parts/0/z/0", id="a truth"),
        pytest.param(b"null", "/parts/0/z/0", id="nothing"),
    ],
)
def test_a_size_that_is_none_is_refused_at_its_place(spelling: bytes, pointer: str) -> None:
    found = refused(text(clay({"z": [7777, 0.1, 0.1]})).replace(b"7777", spelling))
    assert (found.reason, found.pointer) == ("malformed", pointer)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf"), 1e308])
def test_values_that_are_no_json_are_refused_too(number: float) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(clay({"p": [number, 0, 0.5]}), Clay)


@pytest.mark.parametrize(
    ("value", "pointer"),
    [
        pytest.param(clay({"s": "text"}), "/parts/0/s", id="no letters"),
        pytest.param(clay({"colour": "#ff0000"}), "/parts/0", id="no colour of one's own"),
        pytest.param(clay({}) | {"title": "key"}, "", id="no title"),
        pytest.param(clay(), "/parts", id="no part at all"),
        pytest.param(clay({"p": [0, 0]}), "/parts/0/p", id="a place with two numbers"),
        pytest.param(clay({"r": [0, 361, 0]}), "/parts/0/r/1", id="more than a whole turn"),
        pytest.param({"format": "voxel/1", "parts": []}, "/format", id="another format"),
        pytest.param({"parts": [BALL]}, "", id="no format"),
        pytest.param([], "", id="a list"),
        pytest.param({"format": "strokes/1", "strokes": [[[0, 1024]]]}, "/strokes/0/0/1", id="beside the sheet"),
        pytest.param({"format": "strokes/1", "strokes": [[[0, 1.5]]]}, "/strokes/0/0/1", id="half a step"),
        pytest.param({"format": "strokes/1", "strokes": [[]]}, "/strokes/0", id="a stroke of nothing"),
    ],
)
def test_an_invalid_sculpture_is_refused_at_its_place(value: object, pointer: str) -> None:
    found = refused(value)
    assert (found.reason, found.pointer) == ("malformed", pointer)


@pytest.mark.parametrize("raw", [b"", b"{", b"\xff\xfe", b"[" * 20_000, b'{"format":"clay/1"'])
def test_invalid_json_is_refused(raw: bytes) -> None:
    assert refused(raw).reason == "malformed"


def test_forty_eight_parts_are_enough() -> None:
    assert used(read(text(clay(*[{"z": [0.02, 0.02, 0.02]}] * PARTS)))) == PARTS * 4
    assert refused(clay(*[{}] * (PARTS + 1))).pointer == "/parts"


@pytest.mark.parametrize(
    ("part", "pointer"),
    [
        pytest.param({"p": [0.45, 0, 0.5]}, None, id="touching the right wall"),
        pytest.param({"p": [0.46, 0, 0.5]}, "/parts/0/p/0", id="through the right wall"),
        pytest.param({"p": [0, -0.46, 0.5]}, "/parts/0/p/1", id="through the front"),
        pytest.param({"p": [0, 0, 0.05]}, None, id="on the ground"),
        pytest.param({"p": [0, 0, 0.04]}, "/parts/0/p/2", id="in the ground"),
        pytest.param({"p": [0, 0, 0.95]}, None, id="under the roof"),
        pytest.param({"p": [0, 0, 0.96]}, "/parts/0/p/2", id="through the roof"),
        pytest.param({"s": "block", "z": [1, 0.02, 0.02], "r": [0, 0, 90]}, None, id="across, turned upright angles"),
        pytest.param({"s": "block", "z": [1, 0.1, 0.02], "r": [0, 0, 5]}, "/parts/0/p/0", id="askew, too long"),
        pytest.param({"s": "capsule", "z": [0.1, 0.1, 1], "r": [90, 0, 0]}, None, id="laid down from front to back"),
    ],
)
def test_every_part_lies_within_the_cube(part: Json, pointer: str | None) -> None:
    if pointer is None:
        accepted(clay(part))
    else:
        found = refused(clay(part))
        assert (found.reason, found.pointer) == ("out_of_cube", pointer)


def test_the_roll_may_be_used_to_its_last_crumb() -> None:
    block = {"s": "block", "z": [0.6, 0.6, 0.5]}
    assert used(read(text(clay(block)))) == 180_000 == share(2)
    accepted(clay(block), 180_000)
    found = refused(clay(block), 179_999)
    assert (found.reason, found.pointer, found.params) == ("roll_used_up", "/parts", {"used": 180_000, "room": 179_999})
    assert refused(clay(block, block, BALL)).reason == "roll_used_up"


def test_all_players_have_the_same_roll() -> None:
    assert 2 * share(2) == 3 * share(3) == ROLL


@pytest.mark.parametrize(
    ("part", "cubes"),
    [
        ({"s": "block", "z": [0.1, 0.2, 0.3]}, 6000),
        ({"s": "ball", "z": [0.2, 0.2, 0.2]}, 4192),
        ({"s": "slab", "z": [0.2, 0.2, 0.3]}, 9420),
        ({"s": "cone", "z": [0.2, 0.2, 0.3]}, 3144),
        ({"s": "capsule", "z": [0.1, 0.1, 0.3]}, 2093),
        ({"s": "torus", "z": [0.3, 0.3, 0.1]}, 4936),
        ({"s": "bend", "z": [0.3, 0.1, 0.15]}, 2468),
    ],
)
def test_volumes_are_whole_numbers_of_cubes(part: Json, cubes: int) -> None:
    assert used(read(text(clay(part)))) == cubes


@settings(max_examples=50)
@given(clays())
def test_no_lump_is_larger_than_the_box_around_it(value: Json) -> None:
    sculpture = read(text(value))
    assert isinstance(sculpture, Clay)
    for part in sculpture.parts:
        x, y, z = reach(part)
        # A ribbon that rises more than four times as high as it is long is counted by its length, as if laid flat.
        steep = part.shape == "ribbon" and part.size[2] > 4 * part.size[0]
        assert steep or volume(part) <= 8e6 * x * y * z + 1


def test_too_much_text_is_refused() -> None:
    one = text(clay({}))
    accepted(one + b" " * (CLAY_BYTES - len(one)))
    assert refused(one + b" " * (CLAY_BYTES - len(one) + 1)).reason == "too_long"
    ink = text({"format": "strokes/1", "strokes": [[[0, 0]]]})
    accepted(ink + b" " * (STROKES_BYTES - len(ink)))
    assert refused(ink + b" " * (STROKES_BYTES - len(ink) + 1)).reason == "too_long"


def test_strokes_keep_to_their_points() -> None:
    dots = [[[0, 0]]] * (STROKES - 2)
    long = [[1023, 0]] * (POINTS - STROKES + 1)
    full = {"format": "strokes/1", "strokes": [long, *dots, [[0, 0]]]}
    assert isinstance(read(text(full)), Strokes)
    assert used(read(text(full))) == 0
    found = refused({"format": "strokes/1", "strokes": [long, *dots, [[0, 0], [1, 1]]]})
    assert (found.reason, found.params) == ("too_many_points", {"points": POINTS + 1, "most": POINTS})
    assert found.pointer == f"/strokes/{STROKES - 1}"
    assert refused({"format": "strokes/1", "strokes": [[[0, 0]]] * (STROKES + 1)}).pointer == "/strokes"


def test_the_longest_sculptures_fit_into_their_bytes() -> None:
    part = Part(shape="capsule", position=(-0.45, -0.45, 0.95), rotation=(355.0, 355.0, 355.0), size=(0.95, 0.95, 0.95))
    assert len(canonical(settled([part] * PARTS))) <= CLAY_BYTES
    stroke = ((1023, 1023),) * POINTS
    assert len(canonical(Strokes(strokes=(stroke,)))) <= STROKES_BYTES


@given(st.sampled_from(["ball", "egg", "capsule", "cone", "slab", "block", "torus", "bend", "ribbon"]))
def test_every_shape_fills_the_cube_when_it_stands_straight(shape: str) -> None:
    part = msgspec.convert({"s": shape, "p": [0, 0, 0.5], "z": [1, 1, 1]}, Part)
    assert reach(part) == pytest.approx((0.5, 0.5, 0.5))
    assert fault(Clay(parts=(part,)), 10**6) is None


@settings(max_examples=300)
@given(position=st.tuples(NUMBERS, NUMBERS, NUMBERS), angles=st.tuples(ANGLES, ANGLES, ANGLES))
def test_a_lump_is_on_the_grid_where_rounding_changes_not_a_bit_of_it(
    position: tuple[float, float, float], angles: tuple[float, float, float]
) -> None:
    rounded = settled([Part(shape="ball", position=position, rotation=angles, size=position)]).parts[0]
    same = list(map(repr, (rounded.position, rounded.rotation))) == list(map(repr, (position, angles)))
    assert on_grid(position, angles, position) == same
    assert on_grid(rounded.position, rounded.rotation, rounded.size)
