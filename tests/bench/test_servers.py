"""The comparison of servers and its page; what needs Node.js or Locust runs where `make bench` does."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import httpx
import msgspec
import pytest

from bench import environment, servers, servers_report
from bench.servers import FILES, MEMORY, OURS, PEBBLES, THEIRS, TOOL, Found, Load, LoadFailed, Result, Tool, Wishes

pytestmark = pytest.mark.thorough

MEASURED = (
    (OURS, "moves", "always", 900),
    (OURS, "moves", "no", 1_000),
    (OURS, "views answered 304", "always", 6_000),
    (OURS, "views answered 200", "always", 3_000),
    (THEIRS, "moves", MEMORY, 1_000),
    (THEIRS, "moves", FILES, 500),
    (THEIRS, "views", MEMORY, 1_000),
)


def made_up() -> Result:
    """Return a result of two rounds in which a server takes half a core."""
    found = [
        Found(
            server=server,
            game=PEBBLES[0],
            what=what,
            kept=kept,
            per_second=rate / 2,
            p50_ms=10,
            p99_ms=20,
            cores={"web" if server == OURS else THEIRS: 0.5, TOOL: 0.9},
        )
        for _ in range(2)
        for server, what, kept, rate in MEASURED
    ]
    return Result(
        date="2026-01-31",
        machine={"processor": "abacus", "mypyc": "9"},
        versions={TOOL: "2.47", THEIRS: "0.50.2"},
        load_before=0.5,
        users=50,
        rounds=2,
        seconds=8,
        found=found,
        shares={"a move": {"the rules": 0.25}, "a view answered 304": {"the log": 0.5}},
    )


def test_a_core_is_the_server_s_and_not_the_tool_s() -> None:
    assert [found.per_core for found in made_up().found[:2]] == [900, 1_000]


def test_ratios_are_told_with_their_bars() -> None:
    rows = [line.split("|")[1:-1] for line in servers_report.ratios(made_up()).splitlines()[2:]]
    assert [[cell.strip() for cell in row[1:]] for row in rows] == [
        ["0.90", ">= 1", "NO"],
        ["2.00", ">= 1", "yes"],
        ["6.00", ">= 5", "yes"],
        ["3.00", "", ""],
    ]


def test_the_page_tells_everything_and_the_plot_names_every_row(tmp_path: Path) -> None:
    page = tmp_path / "servers.md"
    path = servers_report.write(made_up(), tmp_path, page)
    assert msgspec.json.decode(path.read_bytes(), type=Result) == made_up()
    text = page.read_text()
    assert "$" not in text
    assert "| the rules " in text
    drawn = (tmp_path / servers_report.PLOT).read_text()
    for server, what, _, _ in MEASURED:
        assert f"{server}, pebbles: {what}" in drawn


def test_a_load_that_fails_is_tried_again_and_then_given_up() -> None:
    said: list[str] = []
    outcomes: list[LoadFailed | Found] = [LoadFailed("a line was closed"), made_up().found[0]]

    def measure() -> Found:
        outcome = outcomes.pop(0)
        if isinstance(outcome, LoadFailed):
            raise outcome
        return outcome

    assert servers.insisted(measure, said.append) == made_up().found[0]
    assert said == ["again, because of a line was closed"]
    outcomes = [LoadFailed("never") for _ in range(servers.ATTEMPTS)]
    with pytest.raises(LoadFailed, match="never"):
        servers.insisted(measure, said.append)


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        pytest.param("print('{}'); print('{\"errors\": [\"refused\"]}')", "refused", id="a request failed"),
        pytest.param("print('{}')", "the tool ended early", id="the tool died"),
    ],
)
def test_a_tool_that_tells_of_errors_or_nothing_has_measured_nothing(
    program: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "peers").mkdir()
    (tmp_path / "peers" / "locust_load.py").write_text(program)
    monkeypatch.setattr(servers, "HERE", tmp_path)
    monkeypatch.setattr(servers, "provide", lambda _peer: Path(sys.executable))
    monkeypatch.setattr(servers, "on_core", lambda _core: pytest.MonkeyPatch.context())
    with pytest.raises(LoadFailed, match=reason):
        Tool(0).measure(Load(OURS, "pebbles", "moves", "no", {}), Wishes(1, 1, 1), {})


@pytest.mark.skipif(shutil.which("npm") is None, reason="needs npm on PATH")
def test_the_peer_s_lobby_makes_a_match_of_pebbles(checkout: Path, tmp_path: Path) -> None:
    program = environment.provide_node("boardgame_io", checkout / "build" / "bench") / "server.js"
    with servers.peer(tmp_path, program) as peer:
        assert peer.version
        made = httpx.post(f"{peer.order['host']}/games/pebbles/create", json={"numPlayers": 2}, timeout=60)
        assert made.json()["matchID"]
