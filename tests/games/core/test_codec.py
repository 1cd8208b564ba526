"""A codec numbers the moves that its types allow, and nothing else."""

from typing import Annotated, Literal

import pytest
from msgspec import Meta

from games.core.actions import UNORDERED
from games.core.bits import part
from games.core.codec import Codec, ListPart, Part, numbered
from games.core.game import Move


class Feed(Move, frozen=True, tag="feed"):
    """A kind with two fields."""

    animal: Literal["cat", "dog"]
    meals: Annotated[int, Meta(ge=1, le=3)] = 1


class Herd(Move, frozen=True, tag="herd"):
    """A kind with a list."""

    sheep: Annotated[list[Annotated[int, Meta(ge=1, le=6)]], Meta(min_length=1, max_length=2, extra=UNORDERED)]


class Rest(Move, frozen=True, tag="rest"):
    """A kind without fields."""


class Speak(Move, frozen=True, tag="speak"):
    """A kind with content of its own."""

    text: str


def kind_of(code: int) -> int:
    return part(code, 0, 2)


def low(code: int) -> int:
    return part(code, 2, 3)


def high(code: int) -> int:
    return part(code, 5, 3)


ANIMALS = numbered(("owl", "cat", "dog"))
CODEC = Codec(
    (Feed, Herd, Rest, Speak),
    kind_of,
    {
        "animal": Part(low, ANIMALS),
        "meals": Part(high, numbered(range(8))),
        "sheep": ListPart((low, high), numbered(range(1, 7)), 7, distinct=True),
    },
    allowed={Feed: lambda move: (move.animal, move.meals) != ("cat", 3)},
    without=(Speak,),
)


def at(kind: int, low_number: int = 0, high_number: int = 0) -> int:
    return kind + 4 * low_number + 32 * high_number


ALL = {
    **{at(0, ANIMALS[name], meals): Feed(animal=name, meals=meals) for name in ("cat", "dog") for meals in (1, 2, 3)},
    **{at(1, one, 7): Herd(sheep=[one + 1]) for one in range(6)},
    **{at(1, one, two): Herd(sheep=[one + 1, two + 1]) for two in range(6) for one in range(two)},
    at(2): Rest(),
}
del ALL[at(0, ANIMALS["cat"], 3)]


def test_every_number_is_the_code_of_its_move_or_of_none() -> None:
    found = {}
    for code in range(-2, CODEC.limit + 2):
        try:
            found[code] = CODEC.decode(code)
        except ValueError:
            continue
    assert found == ALL
    assert {CODEC.encode(move): move for move in ALL.values()} == ALL
    assert CODEC.limit == 256


def test_the_order_of_an_unordered_list_does_not_matter() -> None:
    assert CODEC.encode(Herd(sheep=[6, 2])) == CODEC.encode(Herd(sheep=[2, 6])) == at(1, 1, 5)
    assert CODEC.fields(at(1, 1, 5)) == {"sheep": [2, 6]}


@pytest.mark.parametrize(
    "move",
    [
        Feed(animal="cat", meals=3),
        Feed(animal="dog", meals=4),
        Feed(animal="owl"),  # type: ignore[arg-type]
        Herd(sheep=[]),
        Herd(sheep=[2, 2]),
        Herd(sheep=[1, 2, 3]),
        Herd(sheep=[7]),
        Speak(text="Hello"),
    ],
    ids=str,
)
def test_a_move_that_its_kind_does_not_allow_has_no_code(move: Move) -> None:
    with pytest.raises(ValueError, match=r"no code|no number|a list"):
        CODEC.encode(move)


def test_a_number_that_does_not_fit_into_its_place_is_refused() -> None:
    with pytest.raises(ValueError, match="does not fit"):
        Part(low, numbered(range(9)))
