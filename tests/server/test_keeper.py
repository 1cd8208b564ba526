"""The lives of the web processes, which the keeper owns."""

from __future__ import annotations

from pathlib import Path

from tests.server.killed_once import MARK
from tests.service.streams.server import Server


def test_a_process_that_is_killed_before_any_listens_is_replaced(redis_server: str, tmp_path: Path) -> None:
    server = Server(redis_server, tmp_path, "tests.server.killed_once:create_app", **{MARK: str(tmp_path / "mark")})
    try:
        assert server.answers()
        assert "a web process was sent SIGKILL" in server.log.read_text("utf-8")
    finally:
        server.kill(kills=True)
