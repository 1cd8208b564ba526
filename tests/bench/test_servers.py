"""The comparison of servers and its page; what needs Node.js or Locust runs where `python3 dev.py bench` does."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bench import servers
from bench.servers import (
    OURS,
    Load,
    LoadFailed,
    Tool,
    Wishes,
)

pytestmark = pytest.mark.thorough

<<<<<<< HEAD
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


def test_ratios_are_told_with_their_bars() -> None:
    assert ratios(made_up()) == [
        ["0.90", ">= 0.4", "yes"],
        ["2.00", ">= 2", "yes"],
        ["1.20", ">= 1.4", "NO"],
        ["3.00", ">= 0.9", "yes"],
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
    assert rows[0] == ["0.90", ">= 0.4", "yes"]
    assert rows[1] == ["not measured", ">= 2", ""]

=======
>>>>>>> 9b6ac6d6 (tests: drop tests of reports and of runs of the test tools)

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
