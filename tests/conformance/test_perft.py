"""The number of move sequences from named tables has not changed."""

import pytest

from games.core.game import Game
from tests.conformance.cases import every_game
from tests.conformance.perft import Counted, files, perft

FILES = files()


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.game.slug}, {file.path.stem}")
def test_counts_are_those_of_the_file(file: Counted) -> None:
    table = file.table()
    counts = file.counts()
    assert counts
    assert {moves: perft(file.game, table, moves) for moves in counts} == counts
    assert file.lines[0].startswith("# ")


@every_game
def test_every_number_of_seats_has_counts(game: Game) -> None:
    counted = [file.table().seats for file in FILES if file.game is game]
    assert set(counted) == set(game.seat_numbers)
