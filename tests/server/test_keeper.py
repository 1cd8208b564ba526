"""The lives of the web processes, which the keeper owns."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.launch.kit import HTTP, PATIENCE_SECONDS, children_of, command_of, within
from tests.server.first_alone import NOTES
from tests.server.killed_once import MARK
from tests.service.streams.server import Server


def metrics_process(server: Server) -> int | None:
    children = children_of(server.process.pid)
    found = [child for child in children if b"service.launch.metrics_process" in command_of(child)]
    return found[0] if found else None


def test_the_first_process_loads_alone_and_the_others_follow_it(redis_server: str, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    settings = {NOTES: str(notes), "WEB_PROCESSES": "2"}
    server = Server(redis_server, tmp_path, "tests.server.first_alone:create_app", **settings)
    try:
        assert within(PATIENCE_SECONDS, lambda: len(notes.read_text().split()) == 2)
        assert notes.read_text().split() == ["1", "3"]
        assert within(PATIENCE_SECONDS, lambda: metrics_process(server) is not None)
    finally:
        server.kill()


def test_metrics_are_served_at_one_port_whenever_they_are_read(redis_server: str, tmp_path: Path) -> None:
    server = Server(redis_server, tmp_path)
    try:
        assert "dorfplatz_store_up{" in HTTP.get(server.figures_url).text  # even if the process is still starting
        first = metrics_process(server)
        assert first is not None
        os.kill(first, signal.SIGKILL)
        assert "dorfplatz_store_up{" in HTTP.get(server.figures_url).text  # even if nobody listens for a while
        assert metrics_process(server) not in {first, None}
    finally:
        server.kill(kills=True)


@pytest.mark.thorough
def test_a_process_that_is_killed_before_any_listens_is_replaced(redis_server: str, tmp_path: Path) -> None:
    server = Server(redis_server, tmp_path, "tests.server.killed_once:create_app", **{MARK: str(tmp_path / "mark")})
    try:
        assert server.answers()
        assert "a web process was sent SIGKILL" in server.log.read_text("utf-8")
    finally:
        server.kill(kills=True)


@pytest.mark.thorough
def test_a_process_whose_loop_stands_still_is_reported_and_replaced(redis_server: str, tmp_path: Path) -> None:
    server = Server(redis_server, tmp_path, WEB_STALL_SECONDS="5")
    (stopped,) = server.web_processes()

    def reports(news: str) -> bool:
        return within(PATIENCE_SECONDS, lambda: f"{stopped} {news}\n" in server.log.read_text("utf-8"))

    try:
        os.kill(stopped, signal.SIGSTOP)
        assert reports("stands still")
        os.kill(stopped, signal.SIGCONT)
        assert reports("goes on")
        assert not server.answers()  # for some seconds
        os.kill(stopped, signal.SIGSTOP)
        assert reports("stands still; replacing it")
        assert within(PATIENCE_SECONDS, server.answers)
        os.kill(stopped, signal.SIGCONT)  # it drains then
        assert within(PATIENCE_SECONDS, lambda: stopped not in server.web_processes())
        assert server.answers()
    finally:
        server.kill()


@pytest.mark.parametrize("name", ["PORT", "METRICS_PORT"])
def test_a_port_that_is_not_free_is_reported_in_one_line(name: str, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        environment = {**os.environ, "PORT": "0", "TMPDIR": str(tmp_path), name: port}
        command = [sys.executable, "-P", "-m", "service", "web"]
        run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert run.stderr.startswith(f"dorfplatz: cannot listen on 127.0.0.1 port {port}: Address already in use")
    assert "Traceback" not in run.stderr
    assert list(tmp_path.iterdir()) == []
