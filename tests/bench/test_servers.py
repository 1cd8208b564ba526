"""The comparison of servers measures nothing where a tool reports errors or nothing."""

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
