"""Dice draw as ever from a seed, each purpose at each seat by itself, and from a key without bias."""

import hashlib
import hmac
from typing import Final

import pytest

from games.core.dice import CHOICE, PURPOSES, FastDice, SeededDice, SplitDice
from games.core.game import Game
from games.core.registry import registered

FIRSTS: Final = {
    0: [760, 399, 364, 552, 884],
    1: [505, 152, 93, 799, 167],
    5: [137, 279, 955, 548, 429],
}
"""First draw of each seat from a thousand with seed 99, for a choice, and for the purposes 0, 1, 3 and 62."""


def test_a_seed_draws_as_ever() -> None:
    dice = FastDice(7)
    assert [dice.word() for _ in range(4)] == [486688065, 499846750, 93116704, 3602400102]
    assert [dice.below(6, 0) for _ in range(8)] == [4, 1, 3, 1, 0, 4, 0, 1]
    dice = FastDice(2**62 - 1)
    assert [dice.word() for _ in range(4)] == [3706568108, 1999421904, 2322534415, 2245535372]


def test_a_seed_split_by_seats_and_purposes_draws_as_ever() -> None:
    dice = SplitDice(99)
    for dice.seat, firsts in FIRSTS.items():
        assert [dice.below(1_000, purpose) for purpose in (CHOICE, 0, 1, 3, 62)] == firsts


def test_draws_of_one_seat_and_purpose_change_none_of_another() -> None:
    def words(*before: tuple[int, int]) -> list[int]:
        dice = SplitDice(99)
        for dice.seat, purpose in before:
            dice.below(6, purpose)
        dice.seat = 1
        return [dice.below(10**6, 3) for _ in range(5)]

    assert words() == words((0, 3), (0, 3), (1, 2), (1, CHOICE), (2, 3))
    assert words((1, 3)) == [*words()[1:], words((1, 3))[-1]]
    dice = SplitDice(99)
    places = [(seat, purpose) for seat in range(6) for purpose in range(CHOICE, 6)]
    firsts = set()
    for dice.seat, purpose in places:
        firsts.add(dice.below(10**9, purpose))
    assert len(firsts) == len(places)


@pytest.mark.parametrize("game", registered().values(), ids=registered())
def test_a_player_s_choice_is_no_purpose_of_the_game_s_own_chance(game: Game) -> None:
    assert CHOICE not in range(len(game.purposes))
    assert len(game.purposes) < PURPOSES


@pytest.mark.parametrize("limit", [1, 6, 2**31, 3 * 2**30, 2**32 - 1, 2**32])
def test_a_word_of_a_key_is_drawn_again_just_where_the_range_ends_unevenly(limit: int) -> None:
    dice, even = SeededDice(b"a key", 12), 2**32 - 2**32 % limit
    texts = [f"12:{index}".encode() for index in range(400)]
    words = [int.from_bytes(hmac.digest(b"a key", text, hashlib.sha256)[:4], "big") for text in texts]
    expected = [word % limit for word in words if word < even]
    assert [dice.below(limit, 0) for _ in range(200)] == expected[:200]
