"""The place of the core's modules shows the running kernel."""

from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from games.core import kernel as hot
from games.core.kernel import (
    BUILDERS,
    PACKAGED,
    WITH_PACKAGED,
    compiler,
    digest,
    hot_modules,
    kernel,
    missing_for_build,
)


@pytest.mark.parametrize(
    ("origin", "kind"),
    [("/there/games/core/bits.py", "plain"), ("/there/games/core/bits.cpython-312-x86_64-linux-gnu.so", "compiled")],
)
def test_a_library_is_compiled_and_a_text_is_plain(monkeypatch: pytest.MonkeyPatch, origin: str, kind: str) -> None:
    found = ModuleSpec("games.core.bits", None, origin=origin)
    monkeypatch.setattr("importlib.util.find_spec", {"games.core.bits": found}.get)
    assert kernel() == kind


def test_where_there_are_no_games_none_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    assert kernel() == "plain"


HOT = {
    "games/core/bits.py", "games/search/tree.py", "games/chess/table.py", "games/chess/table_two.py",
    "games/chess/table/board.py", "games/chess/worth.py", "games/chess/bots/belief.py",
}  # fmt: skip
PLAIN = {
    "games/core/texts.py", "games/search/explain.py", "games/chess/table/__init__.py", "games/chess/game.py",
    "games/chess/bots/mood.py", "games/chess/bots/worth/deep.py",
}  # fmt: skip
COPIED = {"chess_two/table.py", "chess_two/table/board.py", "chess_two/worth.py", "chess_two/bots/ring.py"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    copied = {f"{PACKAGED}/{name}" for name in (*COPIED, "chess_two/table/__init__.py", "chess_two/game.py")}
    for name in HOT | PLAIN | copied:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


def test_hot_modules_are_found_by_their_names(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(WITH_PACKAGED, raising=False)
    monkeypatch.setattr(hot, "CORE", ("bits",))
    assert hot_modules(root) == sorted(HOT)
    monkeypatch.setenv(WITH_PACKAGED, "1")
    assert hot_modules(root) == [*sorted(HOT), *sorted(f"{PACKAGED}/{name}" for name in COPIED)]


def test_the_compiler_is_the_first_word_of_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "ccache gcc -m64")
    assert compiler() == "ccache"
    monkeypatch.delenv("CC")
    for setting, expected in (("clang -pthread", "clang"), (None, "cc")):
        monkeypatch.setattr("sysconfig.get_config_var", lambda _, setting=setting: setting)
        assert compiler() == expected


@pytest.mark.parametrize("there", ["tcc", "cc", "gcc", "clang", ""])
def test_a_build_needs_a_compiler_and_the_headers_of_python(
    there: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", "tcc")
    monkeypatch.setattr("shutil.which", lambda name: name if name == there else None)
    monkeypatch.setattr("sysconfig.get_paths", lambda: {"include": str(tmp_path)})
    expected = "the C headers of Python are missing" if there else "there is no C compiler"
    assert missing_for_build() == expected
    (tmp_path / "Python.h").touch()
    assert missing_for_build() == (None if there else expected)


def test_a_fingerprint_changes_with_all_that_it_stands_for(root: Path) -> None:
    for name in BUILDERS:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("builder")
    names = sorted(HOT)
    found = [digest(root, ["3.11", "x86"], names)]
    assert digest(root, ["3.11", "x86"], names) == found[0]
    found += [digest(root, ["3.11x86"], names), digest(root, ["3.11", "x86"], names[1:])]
    for name in (names[0], *BUILDERS):
        (root / name).write_text("changed")
        found.append(digest(root, ["3.11", "x86"], names))
    assert len({*found}) == len(found) == 6
