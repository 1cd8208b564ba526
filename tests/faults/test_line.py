"""A Redis of the tests that does not come up is a failure, and leaves nothing behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults import line
from tests.launch.processes import PATIENCE_SECONDS, alive, within


@pytest.mark.parametrize(
    ("script", "patience", "said"),
    [
        pytest.param("exec sleep 600", 0.1, "Redis is silent", id="it never answers"),
        pytest.param("echo no luck; exit 1", PATIENCE_SECONDS, "no luck", id="it ends"),
    ],
)
def test_a_redis_that_does_not_answer_fails(
    script: str, patience: float, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "redis-server"
    program.write_text(f"#!/bin/sh\ncd {tmp_path}\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setattr(line, "server", lambda: str(program))
    monkeypatch.setattr(line, "PATIENCE_SECONDS", patience)
    with pytest.raises(AssertionError, match=said):
        line.Mortal(tmp_path)
    assert within(PATIENCE_SECONDS, lambda: not alive("NOTHING", tmp_path))
