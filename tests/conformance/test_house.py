"""What a registered game must bring with it: a game that lacks any of this fails the build."""

from __future__ import annotations

import ast
import re
from importlib.resources import files
from pathlib import Path

import pytest

from games.core.game import Game, Options, Record, View
from games.core.texts import LANGUAGES
from tests.conformance import digests, playthroughs
from tests.conformance.cases import CASES, every_game, folder_of

SHORT = 7
"""Lines of a function that may help others and follow no rule of its own."""


def package(game: Game) -> str:
    """Return the package that a game is."""
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
    # The oracle is a second, plain writing of the rules; the worlds are what a viewer with perfect memory must hold
    # possible, which tables dealt anew are held against.
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
    wanted = {path for path, case in playthroughs.files().items() if case.game is game}
    assert {path for path in (folder_of(game) / "playthroughs").iterdir() if path.is_file()} == wanted
    assert digests.file_of(game).is_file()


@every_game
def test_every_folder_of_golden_files_is_of_text(game: Game) -> None:
    for path in (*(folder_of(game) / "perft").iterdir(), *(folder_of(game) / "playthroughs").iterdir()):
        assert path.suffix == ".txt"
        assert Path(path).read_text("utf-8").startswith("# ")


@every_game
def test_the_types_of_a_game_are_its_own_and_closed(game: Game) -> None:
    assert issubclass(game.view_type, View)
    assert game.view_type.__struct_config__.tag == game.slug
    assert issubclass(game.record_type, Record)
    assert issubclass(game.options_type, Options)
    for kind in (*game.moves, *game.events, game.view_type, game.record_type, game.options_type):
        assert kind.__struct_config__.frozen, kind
        assert kind.__struct_config__.forbid_unknown_fields, kind


@every_game
def test_the_facts_of_a_game_are_there(game: Game) -> None:
    assert game.rules
    assert game.authors
    assert game.ruleset.startswith(f"{game.slug}/")
    assert all(game.provenance.values())
    kinds = {"rulebook", "public", "measured", "reconstructed", "decision"}
    assert {source.kind for source in game.provenance.values()} <= kinds
    assert set(game.options_type.__struct_fields__) <= set(game.provenance), "where does an option come from?"
