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
from bench.rounds import Figures, Probe, ProbeFailed, measure
from games.core.kernel import kernel as kernel_here
from games.core.kernel import missing_for_build
from games.core.registry import registered

pytestmark = pytest.mark.thorough

PEERS = sorted(path.stem for path in environment.LOCKS.glob("*.in"))
SEATS = [pytest.param(slug, seats, id=name) for name, slug, seats in parts.titles()]


def says(text: str) -> list[str]:
    return [sys.executable, "-c", f"print({text!r})"]


def told(rounds: int = 2) -> Figures:
    """Return made-up figures of everything that is compared."""
    figures = Figures()
    for number in range(rounds):
        for name, _, _ in parts.titles():
            figures.add(f"{name}, compiled", rates(5_000_000 + number))
            figures.add(f"{name}, plain", rates(50_000))
            figures.add(f"{name}, calls", dict.fromkeys(report.CALLS.values(), 0.5 - number / 10))
            figures.add(f"{name}, search", {"iterations_per_second": 9e4, "textbook_iterations_per_second": 2e4})
        figures.add("ismcts gin_rummy", {"iterations_per_second": 1_000, "version": "2"})
        figures.add(parts.BOARDGAME_IO, {"iterations_per_second": 500, "version": "0.50.2"})
        figures.add(parts.C_LOOP, rates(8_000_000))
        figures.add("catanatron 2", {**rates(40_000), "version": "3.2.1"})
        figures.add("open-spiel hearts", {**rates(200_000), "cpp_moves_per_second": 5e6, "cpp_games_per_second": 9e4})
    return figures


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


def test_rounds_are_interleaved_and_a_failing_program_is_left_out(tmp_path: Path) -> None:
    log = tmp_path / "log"
    writes = "import sys; open(sys.argv[1], 'a').write(sys.argv[2]); print('{\"moves_per_second\": 1}')"
    good = [Probe(name, [sys.executable, "-c", writes, str(log), name]) for name in "ab"]
    bad = Probe("bad", [sys.executable, "-c", "raise SystemExit('no such game')"])
    heard: list[str] = []
    figures = measure([good[0], bad, good[1]], 3, heard.append)
    assert log.read_text() == "ababab"
    assert figures.failed == {"bad": "no such game"}
    assert "skipped: bad no such game" in heard
    assert figures.rounds("a", "moves_per_second") == [1, 1, 1]


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


def test_a_ratio_is_taken_within_each_round() -> None:
    figures = Figures()
    for one, other in ((10, 1), (40, 2), (30, 10)):
        figures.add("one", {"rate": one})
        figures.add("other", {"rate": other})
    (found,) = parts.ratio(figures, "x", ("one", "rate"), ("other", "rate"), 9)
    assert (found.median, found.best, found.met()) == (10, 4, True)


def test_what_was_not_measured_is_not_compared() -> None:
    assert parts.ratio(Figures(), "x", ("one", "rate"), ("other", "rate")) == []
    assert parts.comparisons(Figures()) == []


def test_bars_tell_which_are_met() -> None:
    by_name = {found.name: found for found in parts.comparisons(told())}
    assert by_name["hoher-rat, 2 seats: compiled / plain"].met() is True
    assert by_name["hoher-rat, 2 seats: clone, µs"].met() is False
    assert by_name["hoher-rat, 2 seats / OpenSpiel hearts from Python"].met() is None
    text = report.bars(result_of(told()))
    assert text.count("| yes |") + text.count("|  NO |") == 1 + 2 * len(SEATS)


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


def result_of(figures: Figures) -> report.Result:
    return report.Result(
        date="2026-01-31",
        rounds=2,
        seconds=1,
        machine={"processor": "abacus"},
        versions=figures.versions,
        skipped={"chess": "no wheel"},
        comparisons=parts.comparisons(figures),
        figures=report.summaries(figures),
    )
