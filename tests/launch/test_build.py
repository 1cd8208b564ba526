"""The kernel is compiled when it has to be, and never silently left out."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from games.core.kernel import SWITCH, hot_modules, kernel, missing_for_build
from tools import build, new_game

pytestmark = pytest.mark.thorough

SMALL = "small-checkout"

needs_compiler = pytest.mark.skipif(missing_for_build() is not None, reason="no C compiler")


@pytest.fixture(scope="module", autouse=True)
def stranger(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = new_game.write(checkout, "sheep-dog", tmp_path_factory.mktemp("stranger") / "game")
    package = folder / "src" / "dorfplatz_sheep_dog"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "packaged", lambda target: {package.name: package} if SMALL in str(target) else {})
        yield package


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory, checkout: Path) -> Path:
    root = tmp_path_factory.mktemp(SMALL)
    shutil.copytree(checkout / "games" / "core", root / "games" / "core", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(checkout / "games" / "__init__.py", root / "games" / "__init__.py")
    for package in ("service", "workers"):
        (root / package).mkdir()
        (root / package / "__init__.py").write_text('"""None."""\n')
    if missing_for_build() is None:
        # Only that the compiled modules run is of interest here, not how fast.
        hasty = root / "cc"
        hasty.write_text('#!/bin/sh\nexec cc "$@" -O0\n')
        hasty.chmod(0o755)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("CC", str(hasty))
            build.build(root)
    return root


def kind_run_by(path: Path) -> str:
    script = "from games.core.kernel import kernel; print(kernel())"
    env = {**os.environ, "PYTHONPATH": str(path)}
    return subprocess.run(
        [sys.executable, "-P", "-c", script], env=env, capture_output=True, text=True, check=True
    ).stdout.strip()


def libraries(root: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in (root / "build" / "compiled").rglob("*.so")}


@needs_compiler
def test_every_hot_module_is_compiled_and_runs_from_the_build(small: Path) -> None:
    made = libraries(small)
    assert {Path(name).stem for name in hot_modules(small)} <= {name.partition(".")[0] for name in made}
    assert kind_run_by(small / "build" / "compiled") == "compiled"
    assert kind_run_by(small) == "plain"


@needs_compiler
def test_a_strangers_game_is_compiled_with_ours_and_plays_as_it_does_uncompiled(small: Path, stranger: Path) -> None:
    script = (
        "from dorfplatz_sheep_dog import GAME, table; from games.core.playout import playout;"
        "from games.core.dice import FastDice; dice = FastDice(7); new = GAME.new(3, GAME.options_type(), dice);"
        "moves = playout(new, dice, 99); print(int(moves), GAME.write(new), table.__file__)"
    )
    told = []
    for path in ([small / "build" / "compiled"], [small, stranger.parent]):
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path))}
        run = subprocess.run([sys.executable, "-P", "-c", script], env=env, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        told.append(run.stdout.strip().rpartition(" "))
    assert told[0][0] == told[1][0]
    assert [file.rpartition(".")[2] for _, _, file in told] == ["so", "py"]


@needs_compiler
def test_a_game_that_cannot_be_compiled_leaves_ours_compiled(
    small: Path, stranger: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    root, wrong = tmp_path / "copy", tmp_path / "dorfplatz_wrong"
    shutil.copytree(small, root)
    shutil.copytree(stranger, wrong)
    monkeypatch.setattr(build, "packaged", lambda _: {wrong.name: wrong})
    compiled = []

    def compile_ours_alone(_root: Path, _target: Path, hot: list[str]) -> bool:
        compiled.append(hot)
        if any(wrong.name in name for name in hot):
            raise build.NotBuiltError("dorfplatz_wrong/table.py:1: error")
        return True

    monkeypatch.setattr(build, "_compile", compile_ours_alone)
    target = build.build(root)
    assert "dorfplatz_wrong cannot be compiled, and runs uncompiled" in "".join(capfd.readouterr())
    assert len(compiled) == 2
    assert compiled[1] == hot_modules(root)
    assert sorted(folder.name for folder in target.iterdir() if folder.is_dir()) == ["games", "service", "workers"]
    build.build(root)
    assert len(compiled) == 2, "it is tried again, though nothing has changed"


@needs_compiler
def test_a_second_build_compiles_nothing(small: Path) -> None:
    before = libraries(small)
    build.build(small)
    assert libraries(small) == before


@needs_compiler
def test_a_hot_module_that_mypyc_refuses_is_an_error_with_its_place(small: Path, tmp_path: Path) -> None:
    root = tmp_path / "copy"
    shutil.copytree(small, root, ignore=shutil.ignore_patterns("build"))
    bits = root / "games" / "core" / "bits.py"
    bits.write_text(bits.read_text() + "\nwrong: i64 = 'text'\n")
    with pytest.raises(build.NotBuiltError, match=r"games/core/bits\.py:\d+: error"):
        build.build(root)


def test_a_machine_without_a_compiler_is_told_so(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "copy"
    shutil.copytree(small, root, ignore=shutil.ignore_patterns("build"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(build.NotBuiltError, match="there is no C compiler"):
        build.build(root)


def test_the_kernel_on_the_path_is_the_one_that_was_asked_for() -> None:
    assert os.environ.get(SWITCH, kernel()) in {"auto", kernel()}


def test_the_hot_modules_are_the_core_tables_worths_beliefs_and_the_search(checkout: Path) -> None:
    hot = hot_modules(checkout)
    assert {f"games/core/{name}.py" for name in ("bits", "dice", "net", "playout", "table")} <= set(hot)
    assert {"games/hoher_rat/worth.py", "games/search/tree.py", "games/barbarossa/bots/belief.py"} <= set(hot)
    assert any(name.startswith("games/hoher_rat/table") for name in hot)
    assert not any(name.endswith("__init__.py") for name in hot)


@pytest.mark.parametrize(
    ("arguments", "environment", "said"),
    [
        pytest.param(["--kernel", "fast"], "", "invalid choice: 'fast'", id="as an argument"),
        pytest.param([], "fast", f"{SWITCH} is one of auto, compiled, plain", id="in the environment"),
    ],
)
def test_an_unknown_kernel_is_refused(arguments: list[str], environment: str, said: str, checkout: Path) -> None:
    command = [sys.executable, "-P", "-m", "tools", "test", *arguments]
    env = {**os.environ, "PYTHONPATH": str(checkout), SWITCH: environment}
    result = subprocess.run(command, cwd=checkout, env=env, capture_output=True, text=True, check=False)
    assert result.returncode != 0
    assert said in result.stderr
