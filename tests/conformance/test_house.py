"""Files that a registered game must have: a game that lacks any of them fails the build."""

import ast
import re
from importlib.resources import files
from pathlib import Path

import pytest

from games.core.game import Game
from games.core.texts import LANGUAGES
from tests.conformance import digests, playthroughs
from tests.conformance.cases import CASES, every_game, folder_of

SHORT = 7
"""Lines of a function that may help others and follow no rule of its own."""


def package(game: Game) -> str:
    return type(game).__module__.rpartition(".")[0]


def test_there_is_a_game() -> None:
    assert CASES


@every_game
@pytest.mark.parametrize("name", ["RULES.md", "GLOSSARY.md", *(f"texts/{language}.json" for language in LANGUAGES)])
def test_a_game_brings_its_rules_its_words_and_its_sentences(game: Game, name: str) -> None:
    assert (files(package(game)) / name).is_file()


@every_game
@pytest.mark.parametrize(
    "name", ["oracle.py", "test_oracle.py", "test_worlds.py", "shared_wins.py", "perft", "digests.txt", "playthroughs"]
)
def test_a_game_brings_tests_of_its_own(game: Game, name: str) -> None:
    # The oracle is a second, plain writing of the rules. The worlds are the possible ones for a viewer with perfect
    # memory, and new deals are compared with them.
    assert (folder_of(game) / name).exists()


@every_game
def test_an_oracle_cites_the_rules_that_it_writes_once_more(game: Game) -> None:
    files = [folder_of(game) / "oracle.py", *sorted((folder_of(game) / "chapters").glob("*.py"))]
    silent = []
    for file in files:
        lines = file.read_text("utf-8").splitlines()
        for function in ast.walk(ast.parse("\n".join(lines))):
            if isinstance(function, ast.FunctionDef) and function.end_lineno:
                written = lines[function.lineno - 1 : function.end_lineno]
                told = ast.get_docstring(function) or ""
                if len(written) > SHORT and told and not told.startswith(("Read", "Return everything")):
                    silent += [function.name] * (re.search(r"\b[A-Z]{2}-D?\d", told) is None)
    assert silent == []


@every_game
def test_a_game_has_tables_of_rules(game: Game) -> None:
    assert list(folder_of(game).glob("test_rules_*.py"))


@every_game
def test_no_golden_file_is_missing_or_left_over(game: Game) -> None:
    texts = {playthroughs.text_of(case) for case in playthroughs.list_cases() if case.game is game}
    assert set((folder_of(game) / "playthroughs").iterdir()) - texts == {playthroughs.digests_of(game)}
    assert digests.file_of(game).is_file()


@every_game
def test_every_folder_of_golden_files_is_of_text(game: Game) -> None:
    for path in (*(folder_of(game) / "perft").iterdir(), *(folder_of(game) / "playthroughs").iterdir()):
        assert path.suffix == ".txt"
        assert Path(path).read_text("utf-8").startswith("# ")
