"""The benchmark of sessions runs, at sizes at which its figures mean nothing; no figure is judged here."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import sessions, sessions_report
from bench.sessions import POLICIES, Wishes

pytestmark = pytest.mark.thorough


def test_a_town_is_measured_and_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "IDLE_SECONDS", 0.1)
    monkeypatch.setattr(sessions, "LONGEST", sessions.MIDDLE + 1)
    monkeypatch.setattr(sessions, "sizes", lambda: iter([sessions.YARDSTICK]))
    said: list[str] = []
    result = sessions.run(Wishes(seconds=0.2, rounds=2, sessions=3, open_sessions=20), said.append)
    assert [rate.fsync for rate in result.rates if rate.what == sessions.MOVES] == [*POLICIES] * 2
    assert all(rate.per_second > 0 and 0 < rate.p50_ms <= rate.p99_ms for rate in result.rates)
    assert [one.moves for one in result.footprints] == [0, sessions.MIDDLE, sessions.MIDDLE + 1]
    assert [one.sessions for one in result.idle] == [0, 20]
    assert result.idle[1].redis_bytes > result.idle[0].redis_bytes
    page = tmp_path / "page.md"
    kept = sessions_report.write(result, tmp_path, page)
    assert kept.name == f"sessions-{result.date}.json"
    text = page.read_text()
    for what in (
        sessions.MOVES,
        sessions.NAMED,
        sessions.UNCHANGED,
        sessions.VIEWS,
        sessions.TRANSITIONS,
        *POLICIES,
        "worker bulk",
    ):
        assert f"| {what}" in text or f" {what} |" in text
    assert "$" not in text
