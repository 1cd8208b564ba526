"""Controls for moves: which moves share a group, and the form of a field that differs."""

from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest

from games.core.controls import ChoiceForm, Controls, MoveForm, NumberForm, SearchForm
from games.core.game import Game, Move


class Pass(Move, frozen=True, tag="pass"):
    """A move without fields."""


class Bid(Move, frozen=True, tag="bid"):
    """A move with an amount."""

    amount: int


class Offer(Move, frozen=True, tag="offer"):
    """A move with an amount and two other fields."""

    amount: int
    to: int | None
    cards: list[str]


class Guess(Move, frozen=True, tag="guess"):
    """A move with a word of a sheet, or with several."""

    word: str | list[str]


class Trade(Move, frozen=True, tag="trade"):
    """A move with two fields, none of which is declared as varying."""

    give: str
    take: str


def controls(usual: int = 0) -> Controls:
    game = SimpleNamespace(
        moves=(Pass, Bid, Offer, Guess, Trade),
        varying={Offer: "amount"},
        amounts={"amount"},
        sheets={"word": "words"},
        reference=lambda _: [
            SimpleNamespace(key="words", lines=[SimpleNamespace(id=name) for name in ("oak", "elm", "ash")])
        ],
        control=lambda text, move, language, view, names: f"{text} {language} {names} {view} {move}",
        usual_amount=lambda _move, _view: usual,
    )
    return Controls(cast("Game", game))


def groups(moves: list[Move], usual: int = 0) -> dict[str, MoveForm | None]:
    """Return the form of each group by its key."""
    _, found = controls(usual).group(moves, moves, cast("Any", "view"), "en", ["Ann"])
    return {group.key: None if group.form is msgspec.UNSET else group.form for group in found}


def test_moves_differ_in_one_field_within_a_group() -> None:
    moves: list[Move] = [
        Pass(), Bid(3), Offer(1, None, []), Offer(2, None, []), Offer(1, 2, ["a", "b"]), Offer(5, 2, ["a", "b"]),
        Offer(4, 1, ["a"]), Trade("a", "b"), Trade("a", "c"), Bid(5),
    ]  # fmt: skip
    keys, found = controls().group(moves[::-1], moves, cast("Any", "view"), "en", ["Ann"])
    assert keys == [
        "bid:amount", "trade", "trade", "offer", "offer:amount/2/a+b", "offer:amount/2/a+b", "offer:amount/none/",
        "offer:amount/none/", "bid:amount", "pass",
    ]  # fmt: skip
    assert [group.key for group in found] == [
        "pass", "bid:amount", "offer:amount/none/", "offer:amount/2/a+b", "offer", "trade",
    ]  # fmt: skip
    labels = {group.key: group.label for group in found}
    assert labels["pass"] == f"pass en ['Ann'] view {Pass()}"
    assert labels["bid:amount"] == f"bid en ['Ann'] view {Bid(3)}"
    assert labels["offer:amount/2/a+b"] == f"offer:amount en ['Ann'] view {Offer(1, 2, ['a', 'b'])}"
    assert labels["offer"] == f"offer en ['Ann'] view {Offer(4, 1, ['a'])}"


@pytest.mark.parametrize(
    ("amounts", "usual", "form"),
    [
        ([3, 5, 7], 6, NumberForm(field="amount", minimum=3, maximum=7, step=2, default=5)),
        ([7, 3, 5], 99, NumberForm(field="amount", minimum=3, maximum=7, step=2, default=7)),
        ([0, 1], 0, NumberForm(field="amount", minimum=0, maximum=1, step=1, default=0)),
        ([3, 5, 8], 5, ChoiceForm(field="amount", values=[3, 5, 8])),
        ([1, 2, 4, 5], 5, ChoiceForm(field="amount", values=[1, 2, 4, 5])),
        ([4], 4, None),
    ],
)
def test_equal_steps_are_a_range_with_the_usual_amount(amounts: list[int], usual: int, form: MoveForm | None) -> None:
    assert [*groups([Bid(amount) for amount in amounts], usual).values()] == [form]


def test_words_of_a_sheet_are_searched_and_other_values_are_a_choice() -> None:
    assert groups([Guess("ash"), Guess("oak")]) == {
        "guess:word": SearchForm(field="word", sheet="words", without=["elm"])
    }
    assert groups([Guess(["ash"]), Guess(["oak"])]) == {"guess": None}
    assert groups([Guess("ash")]) == {"guess": None}
