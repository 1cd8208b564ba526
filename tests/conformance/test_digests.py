"""Seeded games are played as they always were, by either kernel."""

import pytest

from games.core.game import Game
from tests.conformance.cases import CASES, Case, every_game, registered_case
from tests.conformance.digests import GAMES, digest, file_of


@registered_case
@pytest.mark.parametrize("number", range(GAMES))
def test_a_seeded_game_is_the_one_of_the_file(case: Case, number: int) -> None:
    line = digest(case, number)
    assert line in file_of(case.game).read_text("utf-8").splitlines(), line


@every_game
def test_no_digest_is_left_over(game: Game) -> None:
    lines = file_of(game).read_text("utf-8").splitlines()
    assert len(set(lines)) == len(lines) == GAMES * sum(case.game is game for case in CASES)
