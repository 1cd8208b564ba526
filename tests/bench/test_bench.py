"""The benchmark's parts run, at sizes at which their figures mean nothing; no figure is judged here."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import games
from bench import __main__ as command
from bench import environment, kernel, parts, report
from bench.rounds import Probe, ProbeFailed
from games.core.kernel import kernel as kernel_here
from games.core.kernel import missing_for_build
from games.core.registry import registered

pytestmark = pytest.mark.thorough

PEERS = sorted(path.stem for path in environment.LOCKS.glob("*.in"))
SEATS = [pytest.param(slug, seats, id=name) for name, slug, seats in parts.titles()]


def says(text: str) -> list[str]:
    return [sys.executable, "-c", f"print({text!r})"]


def rates(moves: float) -> dict[str, float]:
    """Return the figures of a player of games of a hundred moves."""
    return {"moves_per_second": moves, "games_per_second": moves / 100, "moves_per_game": 100}


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what is measured in this process small."""
    monkeypatch.setattr(kernel, "POSITIONS", 8)
    monkeypatch.setattr(kernel, "BATCH", 1)


@pytest.mark.parametrize(("slug", "seats"), SEATS)
def test_our_search_and_the_textbooks_are_measured(slug: str, seats: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "SEARCHES", 1)
    monkeypatch.setattr(kernel, "ITERATIONS", 20)
    figures = kernel.search(registered()[slug], seats, 0)
    assert figures.keys() == {"iterations_per_second", "textbook_iterations_per_second"}
    assert min(figures.values()) > 0


def test_a_measurement_refuses_the_other_kernel() -> None:
    other = "plain" if kernel_here() == "compiled" else "compiled"
    options = ["play", "--kernel", other, "--game", "hoher-rat", "--seats", "2", "--seconds", "0"]
    answer = CliRunner().invoke(kernel.main, options)
    assert answer.exit_code == 1
    assert f"not the {other} one" in answer.output


@pytest.mark.skipif(missing_for_build() is not None, reason="there is no C compiler")
def test_the_loop_in_c_compiles_without_a_warning_and_plays_games_as_long_as_ours(tmp_path: Path) -> None:
    strict = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]
    subprocess.run([*environment.compiler().split(), *environment.OPTIMISED, *strict, environment.SOURCE], check=True)
    figures = parts.c_probe(tmp_path, 0).ask()
    assert figures.keys() == rates(1).keys()
    assert 300 < float(figures["moves_per_game"]) < 350


@pytest.mark.parametrize(
    ("ran", "reason"),
    [
        pytest.param(["/no/such/program"], "does not start", id="there is no such program"),
        pytest.param([sys.executable, "-c", "raise SystemExit(3)"], "ended with 3", id="it fails in silence"),
        pytest.param(says("hello"), "gave no figures", id="it prints something else"),
        pytest.param([sys.executable, "-c", ""], "gave no figures", id="it prints nothing"),
    ],
)
def test_a_program_without_figures_says_why(ran: list[str], reason: str) -> None:
    with pytest.raises(ProbeFailed, match=reason):
        Probe("x", ran).ask()


def test_the_page_in_docs_is_written_from_the_newest_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    newest = max(command.RESULTS.glob("[0-9]*.json"))
    monkeypatch.setattr(command, "PAGE", tmp_path / "page.md")
    answer = CliRunner().invoke(command.main, ["--from", str(newest)])
    assert answer.exit_code == 0
    assert (tmp_path / "page.md").read_text() == (parts.ROOT / "docs" / "benchmarks.md").read_text()


def test_a_run_measures_prints_and_keeps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = Path(games.__file__).parents[1]
    monkeypatch.setattr(command, "build", lambda _root: loaded)
    monkeypatch.setattr(command, "pin", lambda: None)
    for module in (parts, report):
        monkeypatch.setattr(module, "titles", lambda: [("hoher-rat, 2 seats", "hoher-rat", 2)])
    monkeypatch.setattr(command, "PAGE", tmp_path / "page.md")
    monkeypatch.setattr(command, "RESULTS", tmp_path / "results")
    answer = CliRunner().invoke(command.main, ["--rounds", "1", "--seconds", "0", "--no-peers"])
    assert answer.exit_code == 0, answer.output
    measured = "hoher-rat, 2 seats, plain" if kernel_here() == "plain" else "hoher-rat, 2 seats: compiled / plain"
    assert measured in answer.output
    assert measured in (tmp_path / "page.md").read_text()


@pytest.mark.parametrize("peer", PEERS)
def test_each_peer_is_locked_with_hashes(peer: str) -> None:
    lock = (environment.LOCKS / f"{peer}.lock").read_text()
    pinned = [line for line in lock.splitlines() if "==" in line and not line.startswith((" ", "#"))]
    wanted = re.findall(r"^[\w-]+", (environment.LOCKS / f"{peer}.in").read_text(), re.MULTILINE)
    assert wanted
    assert {line.partition("==")[0] for line in pinned} >= set(wanted)
    assert lock.count("    --hash=sha256:") >= len(pinned)
