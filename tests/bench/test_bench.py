"""The page of the benchmark is that of its newest result; its peers are locked and play as long."""

import re
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from bench import __main__ as command
from bench import environment, parts
from games.core.kernel import missing_for_build

PEERS = sorted(path.stem for path in environment.LOCKS.glob("*.in"))


@pytest.mark.skipif(missing_for_build() is not None, reason="there is no C compiler")
def test_the_loop_in_c_compiles_without_a_warning_and_plays_games_as_long_as_ours(tmp_path: Path) -> None:
    strict = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]
    subprocess.run([*environment.compiler().split(), *environment.OPTIMISED, *strict, environment.SOURCE], check=True)
    figures = parts.c_probe(tmp_path, 0).ask()
    assert 300 < float(figures["moves_per_game"]) < 350


def test_the_page_in_docs_is_written_from_the_newest_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    newest = max(command.RESULTS.glob("[0-9]*.json"))
    monkeypatch.setattr(command, "PAGE", tmp_path / "page.md")
    answer = CliRunner().invoke(command.main, ["--from", str(newest)])
    assert answer.exit_code == 0
    assert (tmp_path / "page.md").read_text() == (parts.ROOT / "docs" / "benchmarks.md").read_text()


@pytest.mark.parametrize("peer", PEERS)
def test_each_peer_is_locked_with_hashes(peer: str) -> None:
    lock = (environment.LOCKS / f"{peer}.lock").read_text()
    pinned = [line for line in lock.splitlines() if "==" in line and not line.startswith((" ", "#"))]
    wanted = re.findall(r"^[\w-]+", (environment.LOCKS / f"{peer}.in").read_text(), re.MULTILINE)
    assert wanted
    assert {line.partition("==")[0] for line in pinned} >= set(wanted)
    assert lock.count("    --hash=sha256:") >= len(pinned)
