"""The numbers of moves: dense, the same at every table, and part of the ruleset."""

from typing import Annotated, Any, Final, Literal

import msgspec
import pytest
from msgspec import Meta

from games.core.actions import UNORDERED, ActionSpace
from games.core.game import Move
from games.core.registry import registered

OF_RULESETS: Final = {
    "barbarossa": (45, ["model_riddles", "ask_about", "ask_freely"]),
    "gartenzwerge": (361, []),
    "hoher-rat": (1_147_341, []),
    "wichtel": (210, []),
}
"""For each game: the size of its action space, and the first kinds without numbers. A change is a new ruleset."""


class Wave(Move, frozen=True, tag="wave"):
    hand: Literal["left", "right"]
    times: Annotated[int, Meta(ge=2, le=6, multiple_of=2)]


class Throw(Move, frozen=True, tag="throw"):
    what: Annotated[list[Literal["a", "b", "c"]], Meta(min_length=1, max_length=2, extra=UNORDERED)]
    loudly: bool
    at: Annotated[int, Meta(ge=0, le=1)] | None = None


class Shout(Move, frozen=True, tag="shout"):
    """A move of a test with content of the player's own."""

    words: str


SPACE: Final = ActionSpace((Wave, Shout, Throw))


def test_every_number_below_the_size_is_a_move_and_every_move_has_one_number() -> None:
    moves = [SPACE.move(index) for index in range(SPACE.size)]
    assert SPACE.size == 2 * 3 + (3 + 6) * 2 * 3
    assert len(set(map(msgspec.json.encode, moves))) == SPACE.size
    assert [SPACE.index(move) for move in moves] == list(range(SPACE.size))
    assert moves[:4] == [*(Wave(hand="left", times=times) for times in (2, 4, 6)), Wave(hand="right", times=2)]
    assert moves[6] == Throw(what=["a"], loudly=False, at=None)


def test_content_of_ones_own_has_no_number_and_nothing_else_is_taken_for_a_move() -> None:
    assert SPACE.index(Shout(words="hey")) is None
    assert [(kind.name, kind.first, kind.size) for kind in SPACE.kinds[1:]] == [("shout", None, 0), ("throw", 6, 54)]
    for index in (-1, SPACE.size):
        with pytest.raises(ValueError, match="no move has the number"):
            SPACE.move(index)
    with pytest.raises(ValueError, match="has no place"):
        SPACE.index(Wave(hand="left", times=3))


@pytest.mark.parametrize("slug", sorted(OF_RULESETS))
def test_the_numbers_of_a_ruleset_stay(slug: str) -> None:
    actions: Any = registered()[slug].actions
    size, without = OF_RULESETS[slug]
    assert actions.size == size
    assert [kind.name for kind in actions.kinds if kind.first is None][: len(without) or None] == without
