"""The things that moves touch are in the picture, and distinguish them."""

import re

import pytest

from games.core.dice import FastDice
from games.core.game import Game
from games.core.registry import registered
from service.wire.moves import legal_moves
from tests.pictures.stages import play_tables

PICTURES = 40
"""Number of pictures of each game at each number of seats."""


@pytest.mark.parametrize(
    ("game", "seats"),
    [
        pytest.param(game, seats, id=f"{game.slug} {seats}")
        for game in registered().values()
        for seats in game.seat_numbers
    ],
)
def test_each_listed_move_touches_what_is_in_the_picture_and_others_touch_otherwise(game: Game, seats: int) -> None:
    tables = play_tables(game, seats)[:-1]
    roles = set[str]()
    for table in tables[:: max(1, len(tables) // PICTURES)]:
        seat = game.actors(table)[0]
        view = game.view(table, seat)
        drawn = set(re.findall(r'data-ref="([^"]+)"', game.picture(view, "en", "light")))
        touching: dict[tuple[str, ...], set[type]] = {}
        for listed in legal_moves(game, table, seat, "en").moves:
            assert listed.refs, listed.move
            assert set(listed.refs) <= drawn, listed.move
            touching.setdefault(tuple(listed.refs), set()).add(type(listed.move))
        roles |= {ref.partition("/")[0] for ref in drawn}
        assert all(len(kinds) == 1 for kinds in touching.values()), touching
    assert roles == set(game.touched)


def test_a_seat_that_cannot_see_a_hand_has_nothing_of_it_to_touch() -> None:
    for game in registered().values():
        table = play_tables(game, game.seat_numbers[0])[10]
        for seat in range(2):
            own = set(re.findall(r'data-ref="([^"]+)"', game.picture(game.view(table, seat), "en", "light")))
            alike = table.clone()
            alike.redeal(seat, FastDice(3))
            assert own == set(re.findall(r'data-ref="([^"]+)"', game.picture(game.view(alike, seat), "en", "light")))
