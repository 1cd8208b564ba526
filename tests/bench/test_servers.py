"""The comparison of servers and its page; what needs Node.js or Locust runs where `make bench` does."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import httpx
import msgspec
import pytest

from bench import environment, servers, servers_report
from bench.servers import (
    FILES,
    MEMORY,
    OURS,
    PEBBLES,
    THEIRS,
    TOOL,
    Failed,
    Found,
    Load,
    LoadFailed,
    Result,
    Tool,
    Wishes,
)

pytestmark = pytest.mark.thorough

MEASURED = (
    (OURS, "moves", "always", 900),
    (OURS, "moves", "no", 1_000),
    (OURS, "views answered 304", "always", 1_200),
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
            round=number,
        )
        for number in (1, 2)
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


def ratios(result: Result) -> list[list[str]]:
    """Return the cells of the table of ratios behind the first column."""
    rows = [line.split("|")[1:-1] for line in servers_report.ratios(result).splitlines()[2:]]
    return [[cell.strip() for cell in row[1:]] for row in rows]


def test_a_core_is_the_server_s_and_not_the_tool_s() -> None:
    assert [found.per_core for found in made_up().found[:2]] == [900, 1_000]


def test_ratios_are_told_with_their_bars() -> None:
    assert ratios(made_up()) == [
        ["0.90", ">= 0.45", "yes"],
        ["2.00", ">= 1", "yes"],
        ["1.20", ">= 1.5", "NO"],
        ["3.00", "", ""],
    ]


def test_a_ratio_is_one_of_rounds_in_which_both_went_through() -> None:
    result = made_up()
    slow = msgspec.structs.replace(result.found[0], round=3, per_second=1)
    lost = [
        one
        for one in result.found
        if (one.server, one.what, one.kept) != (THEIRS, "moves", FILES)
        and (one.round, one.what, one.kept) != (2, "moves", MEMORY)
    ]
    rows = ratios(msgspec.structs.replace(result, found=[*lost, slow]))
    assert rows[0] == ["0.90", ">= 0.45", "yes"]
    assert rows[1] == ["not measured", ">= 1", ""]


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


def test_a_load_that_fails_is_tried_again_and_takes_no_other_along(tmp_path: Path) -> None:
    said: list[str] = []
    works, breaks = (Load(OURS, "pebbles", what, "always", {}) for what in ("moves", "views answered 304"))
    left = {
        works.what: [LoadFailed("a line was closed")],
        breaks.what: [LoadFailed("never") for _ in range(servers.ATTEMPTS)],
    }

    def measure(load: Load) -> Found:
        if left[load.what]:
            raise left[load.what].pop()
        return msgspec.structs.replace(made_up().found[0], what=load.what)

    outcomes = list(servers.measured(measure, [breaks, works], 2, said.append))
    lost = Failed(round=1, load=breaks.title, why="never")
    assert [(one.round, one.what) if isinstance(one, Found) else one for one in outcomes] == [
        lost,
        (1, "moves"),
        (2, "views answered 304"),
        (2, "moves"),
    ]
    assert sum("failed, because of" in line for line in said) == 1 + servers.ATTEMPTS
    page = tmp_path / "servers.md"
    servers_report.write(msgspec.structs.replace(made_up(), failed=[lost]), tmp_path, page)
    assert f"round 1: {breaks.title} (never)" in page.read_text()


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        pytest.param("print('{}'); print('{\"errors\": [\"refused\"]}')", "refused", id="a request failed"),
        pytest.param("print('{}')", "the tool ended early", id="the tool died"),
        pytest.param(
            "import time; print('{}', flush=True); time.sleep(60)", "the tool ended early", id="the tool hung"
        ),
        pytest.param(
            'print(\'{}\'); print(\'{"errors": [], "version": "2", "per_second": 0, "p50_ms": 0, "p99_ms": 0}\')',
            "no processor time",
            id="the server did nothing",
        ),
    ],
)
def test_a_tool_that_tells_of_errors_or_nothing_has_measured_nothing(
    program: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "peers").mkdir()
    (tmp_path / "peers" / "locust_load.py").write_text(program)
    monkeypatch.setattr(servers, "HERE", tmp_path)
    monkeypatch.setattr(servers, "TOOL_SECONDS", -0.5 if "sleep" in program else 30)
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
