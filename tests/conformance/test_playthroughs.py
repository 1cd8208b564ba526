"""Whole games look to every audience as in the golden files."""

import re

import pytest

from games.core.game import Game
from tests.conformance.cases import Case, every_game
from tests.conformance.playthroughs import digest, digests_of, excerpt, kinds_told, list_cases, playthrough, text_of

ROWS = [pytest.param(case, marks=() if text_of(case).exists() else pytest.mark.thorough) for case in list_cases()]


@pytest.mark.parametrize("case", ROWS, ids=str)
def test_a_playthrough_is_the_golden_one_and_tells_nearly_all(case: Case) -> None:
    golden = digests_of(case.game).read_text("utf-8")
    named = re.search(rf"^{case.seats} seats, seed (\d+): .*$", golden, re.MULTILINE)
    assert named
    lines = list(playthrough(case, int(named[1])))
    if text_of(case).exists():
        kept = text_of(case).read_text("utf-8").splitlines()
        for line, (now, then) in enumerate(zip(excerpt(lines), kept, strict=True), start=1):
            assert now == then, f"{text_of(case).name}:{line}"
    assert digest(case, int(named[1]), lines) == named[0], "`tests.conformance.playthroughs --write` at both commits"
    assert lines[-1].startswith("over: [")
    kinds = {str(kind.__struct_config__.tag) for kind in case.game.events}
    told = kinds_told(case, lines)
    assert len(told) > 0.7 * len(kinds), kinds - told


@every_game
def test_one_playthrough_is_kept_as_text(game: Game) -> None:
    assert sum(text_of(case).exists() for case in list_cases() if case.game is game) == 1
