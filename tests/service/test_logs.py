"""Log lines are whole with any concurrent writers, and an uncaught exception is a line, too, without its message."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
import structlog

import service
from service.telemetry import logs
from tests.launch.kit import PATIENCE_SECONDS

LINES: Final = 3_000

WRITER: Final = """
import sys, structlog
from service.telemetry import logs
logs.configure("info", sys.argv[1])
for number in range(int(sys.argv[2])):
    structlog.get_logger().info("line", number=number)
"""

BROKEN: Final = """
import structlog, threading
from service.telemetry import logs
logs.configure("info", "worker-play")
logs.log_uncaught()
thread = threading.Thread(target=lambda: {}["a secret"])
thread.start()
thread.join()
int("a secret")
"""


def started(program: str, log: Path, *arguments: str) -> subprocess.Popen[bytes]:
    """Return a process that writes into a log, as others may at the same time."""
    environment = {**os.environ, "PYTHONPATH": str(Path(service.__file__).parents[1])}
    with log.open("ab") as file:
        return subprocess.Popen([sys.executable, "-P", "-c", program, *arguments], stderr=file, env=environment)


def test_two_processes_that_write_to_one_log_tear_no_line(tmp_path: Path) -> None:
    log = tmp_path / "log"
    for process in [started(WRITER, log, part, str(LINES)) for part in ("one", "other")]:
        assert process.wait(PATIENCE_SECONDS) == 0
    told = [json.loads(line) for line in log.read_text().splitlines()]
    for part in ("one", "other"):
        assert [line["number"] for line in told if line["part"] == part] == list(range(LINES))


def test_an_uncaught_exception_is_one_line_without_its_message(tmp_path: Path) -> None:
    log = tmp_path / "log"
    assert started(BROKEN, log).wait(PATIENCE_SECONDS) == 1
    told = [json.loads(line) for line in log.read_text().splitlines()]
    assert [(line["event"], line["kind"]) for line in told] == [("uncaught", "KeyError"), ("uncaught", "ValueError")]
    assert all(line["places"] for line in told)
    assert "a secret" not in log.read_text()


def test_no_code_point_breaks_a_log_line_or_turns_it_around(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("info")
    for start in range(0, 0x110000, 0x1000):
        words = "".join(map(chr, range(start, start + 0x1000)))
        structlog.get_logger().info("told", words=words)
        (line,) = capsys.readouterr().err.splitlines()
        assert line.isascii()
        assert line.isprintable()
        assert json.loads(line)["words"].encode("utf-16", "surrogatepass") == words.encode("utf-16", "surrogatepass")
