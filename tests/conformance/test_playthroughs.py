"""Whole games are shown and told to everybody as the golden files say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conformance.cases import Case
from tests.conformance.playthroughs import files, playthrough

SIZE = 400_000


@pytest.mark.parametrize(
    ("path", "case"), files().items(), ids=lambda value: value.stem if isinstance(value, Path) else ""
)
def test_a_playthrough_is_the_golden_one(path: Path, case: Case) -> None:
    golden = path.read_text("utf-8").splitlines()
    named = re.fullmatch(r"# .*, seed (\d+)", golden[0])
    assert named
    for line, (now, then) in enumerate(zip(playthrough(case, int(named[1])), golden, strict=True), start=1):
        assert now == then, f"{path.name}:{line}"


@pytest.mark.parametrize(
    ("path", "case"), files().items(), ids=lambda value: value.stem if isinstance(value, Path) else ""
)
def test_a_playthrough_is_a_whole_game_that_tells_nearly_all(path: Path, case: Case) -> None:
    text = path.read_text("utf-8")
    assert len(text) < SIZE
    assert text.splitlines()[-1].startswith("over: [")
    kinds = [str(kind.__struct_config__.tag) for kind in case.game.events]
    told = {kind for kind in kinds if re.search(rf"^  hear .*: {kind}\b", text, re.MULTILINE)}
    assert len(told) > 0.7 * len(kinds), set(kinds) - told
