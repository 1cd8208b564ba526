"""The benchmark's parts run, at sizes at which their figures mean nothing; no figure is judged here."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

import games
from bench import __main__ as command
from bench import environment, kernel, parts, report
from bench.rounds import Figures, Probe, ProbeFailed, measure
from games.core.registry import registered
from service.launch import build
from tests.launch.processes import PATIENCE_SECONDS

pytestmark = pytest.mark.thorough

PEERS = sorted(path.stem for path in environment.LOCKS.glob("*.in"))
SEATS = [pytest.param(slug, seats, id=name) for name, slug, seats in parts.titles()]


def says(text: str) -> list[str]:
    """Return the command of a program that prints a text."""
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
def test_whole_games_are_played(slug: str, seats: int) -> None:
    figures = kernel.play(registered()[slug], seats, 0)
    assert figures["moves_per_second"] > 0
    assert figures["moves_per_game"] > 10


@pytest.mark.parametrize(("slug", "seats"), SEATS)
def test_every_single_call_has_a_cost(slug: str, seats: int) -> None:
    figures = kernel.calls(registered()[slug], seats, 0)
    assert figures.keys() == set(report.CALLS.values())
    assert min(figures.values()) > 0


@pytest.mark.parametrize(("slug", "seats"), SEATS)
def test_positions_are_spread_from_the_beginning_and_all_in_play(slug: str, seats: int) -> None:
    tables = kernel.positions(registered()[slug], seats)
    assert tables[0].ply == 0
    assert all(table.actors() for table in tables)
    assert sum(table.ply for table in tables[4:]) > sum(table.ply for table in tables[:4])


@pytest.mark.parametrize(("slug", "seats"), SEATS)
def test_our_search_and_the_textbooks_are_measured(slug: str, seats: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "SEARCHES", 1)
    monkeypatch.setattr(kernel, "ITERATIONS", 20)
    figures = kernel.search(registered()[slug], seats, 0)
    assert figures.keys() == {"iterations_per_second", "textbook_iterations_per_second"}
    assert min(figures.values()) > 0


def test_the_textbooks_search_is_set_against_the_peers_searches() -> None:
    times = {found.name: found.median for found in parts.searches(told())}
    assert times[f"{parts.YARDSTICK}, textbook search / OpenSpiel ISMCTS gin_rummy"] == 20
    assert times[f"{parts.YARDSTICK}, textbook search / {parts.BOARDGAME_IO}"] == 40
    assert len(times) == 2


def test_two_who_need_the_same_peer_install_it_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "peer.lock").write_text("peer==1.0\n")
    ran: list[str] = []

    def run(command: list[str]) -> None:
        ran.append(command[1])
        (tmp_path / "env" / "peer").mkdir(exist_ok=True)

    monkeypatch.setattr(environment, "HERE", tmp_path)
    monkeypatch.setattr(environment, "LOCKS", tmp_path)
    monkeypatch.setattr(environment, "run", run)
    with ThreadPoolExecutor() as pool:
        with environment.turn(tmp_path / "env", "peer"):
            both = [pool.submit(environment.provide, "peer") for _ in range(2)]
            assert not wait(both, timeout=0.2).done
            assert not ran
        assert {one.result(PATIENCE_SECONDS) for one in both} == {tmp_path / "env" / "peer" / "bin" / "python"}
    assert ran == ["venv", "pip"]


@pytest.mark.skipif(shutil.which("npm") is None, reason="needs npm on PATH")
def test_a_package_of_node_is_installed_once_and_measured(checkout: Path) -> None:
    folder = environment.provide_node("boardgame_io", checkout / "build" / "bench")
    assert environment.provide_node("boardgame_io", checkout / "build" / "bench") == folder
    assert Probe("search", ["node", str(folder / "search.js"), "0"]).ask().keys() == {
        "iterations_per_second",
        "version",
    }


def test_a_measurement_refuses_the_other_kernel() -> None:
    other = "plain" if build.kernel() == "compiled" else "compiled"
    options = ["play", "--kernel", other, "--game", "hoher-rat", "--seats", "2", "--seconds", "0"]
    answer = CliRunner().invoke(kernel.main, options)
    assert answer.exit_code == 1
    assert f"not the {other} one" in answer.output


def test_the_plain_kernel_is_measured_in_a_process_of_its_own() -> None:
    probes = {probe.name: probe for probe in parts.kernel_probes(parts.ROOT / "build" / "compiled", 0)}
    assert probes["hoher-rat, 2 seats, plain"].ask().keys() == rates(1).keys()


@pytest.mark.skipif(build.missing_for_build() is not None, reason="there is no C compiler")
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


def test_the_best_time_is_the_smallest_and_the_best_rate_the_largest() -> None:
    figures = Figures()
    for value in (1.0, 3.0, 2.0):
        figures.add("x", {"clone_us": value, "moves_per_second": value})
    assert (figures.best("x", "clone_us"), figures.best("x", "moves_per_second")) == (1, 3)
    assert figures.median("x", "clone_us") == 2


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


def test_a_result_is_kept_and_becomes_a_page(tmp_path: Path) -> None:
    result = result_of(told())
    path = report.write(result, tmp_path / "results", tmp_path / "page.md")
    assert msgspec.json.decode(path.read_bytes(), type=report.Result) == result
    page = (tmp_path / "page.md").read_text()
    for claim in ("Catanatron, 2 random players", "OpenSpiel hearts, all in C++", "3.2.1", "Skipped: chess, no wheel"):
        assert claim in page
    assert "$" not in page


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
    measured = "hoher-rat, 2 seats, plain" if build.kernel() == "plain" else "hoher-rat, 2 seats: compiled / plain"
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


def test_a_peer_that_cannot_be_installed_is_skipped_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def offline(_command: list[str]) -> None:
        raise environment.Missing("no network")

    monkeypatch.setattr(environment, "run", offline)
    monkeypatch.setattr(environment, "HERE", tmp_path)
    heard: list[str] = []
    probes, skipped = parts.peer_probes(1, heard.append)
    assert probes == []
    assert skipped == dict.fromkeys(("catanatron", "open-spiel", "rlcard", "pettingzoo"), "no network")
    assert heard[0] == "skipped: catanatron cannot be installed: no network"


def test_a_failing_installer_tells_its_last_words() -> None:
    with pytest.raises(environment.Missing, match="disk full"):
        environment.run([sys.executable, "-c", "raise SystemExit('disk full')"])
    with pytest.raises(environment.Missing, match="No such file"):
        environment.run(["/no/such/program"])


CATANATRON = """
class Color: RED, BLUE, WHITE, ORANGE = range(4)
class RandomPlayer:
    def __init__(self, colour): pass
class State: actions = ["roll"] * 7
class Game:
    def __init__(self, players, seed): self.state = State()
    def play(self): pass
"""

OPEN_SPIEL = """
class State:
    ply = 0
    def is_terminal(self): return self.ply == 4
    def is_chance_node(self): return self.ply == 0
    def chance_outcomes(self): return [(0, 0.5), (1, 0.5)]
    def legal_actions(self): return [0, 1]
    def apply_action(self, action): self.ply += 1
class Game:
    def new_initial_state(self): return State()
def load_game(name): return Game()
class RandomRolloutEvaluator:
    def __init__(self, rollouts, seed): pass
class MCTSBot:
    def __init__(self, game, evaluator, uct_c, max_simulations, max_memory_mb, solve, seed, verbose): pass
    def mcts_search(self, state): sum(range(1000))
"""

RLCARD = """
class Game:
    left = 0
    def reset(self):
        self.left = 5
        return {"legal_actions": {0: None, 1: None}}, 0
    def is_over(self): return self.left == 0
    def step(self, action):
        self.left -= 1
        return {"legal_actions": {0: None}}, 0
def make(name, config): return Game()
"""

PETTINGZOO = """
import sys, types
class Space:
    def sample(self, mask): return mask.index(1)
class Game:
    def reset(self, seed): self.left = 6
    def agent_iter(self):
        while self.left > -2: yield "player"
    def last(self): return {"action_mask": [0, 1]}, 0.0, self.left <= 0, False, {}
    def action_space(self, agent): return Space()
    def step(self, action):
        assert (action is None) == (self.left <= 0)
        self.left -= 1
for name in ("pettingzoo.classic", "pettingzoo.classic.hanabi_v5"):
    sys.modules[name] = types.ModuleType(name)
sys.modules["pettingzoo.classic.hanabi_v5"].env = Game
"""


@pytest.mark.parametrize(
    ("script", "case", "module", "package", "text", "moves"),
    [
        pytest.param("catanatron_random.py", "4", "catanatron", "catanatron", CATANATRON, 7, id="Catanatron"),
        pytest.param("open_spiel_random.py", "hearts", "pyspiel", "open_spiel", OPEN_SPIEL, 3, id="OpenSpiel"),
        pytest.param("rlcard_random.py", "uno", "rlcard", "rlcard", RLCARD, 5, id="RLCard"),
        pytest.param("pettingzoo_random.py", "hanabi_v5", "pettingzoo", "pettingzoo", PETTINGZOO, 6, id="PettingZoo"),
    ],
)
def test_a_peer_is_driven_to_the_end_of_its_games_and_its_decisions_are_counted(
    script: str, case: str, module: str, package: str, text: str, moves: int, tmp_path: Path
) -> None:
    (tmp_path / f"{module}.py").write_text(text)
    facts = tmp_path / f"{package}-9.9.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 9.9\n")
    program = parts.HERE / "peers" / script
    done = subprocess.run(
        [sys.executable, str(program), case, "0"],
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    figures = json.loads(done.stdout)
    assert figures["moves_per_game"] == moves
    assert figures["version"] == "9.9"


def result_of(figures: Figures) -> report.Result:
    """Return figures as the result of a run."""
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
