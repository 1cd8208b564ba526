"""The pages in docs agree with the newest stored results."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench import (
    capacity_report,
    jobs,
    parts,
    reasons,
    seats,
    servers,
    servers_report,
    sessions,
    sessions_report,
    watch,
    watch_report,
)
from bench.capacity import newest
from bench.capacity_report import Result as Capacity

DOCS = parts.ROOT / "docs"
BENCHMARKS = DOCS / "benchmarks"


@pytest.mark.parametrize(
    ("pattern", "kind", "document", "page"),
    [
        pytest.param("sessions-*.json", sessions.Result, sessions_report.document, BENCHMARKS / "sessions.md"),
        pytest.param("servers-*.json", servers.Result, servers_report.document, BENCHMARKS / "servers.md"),
        pytest.param("jobs-*.json", jobs.Result, jobs.document, jobs.PAGE),
        pytest.param("watch-[0-9]*.json", watch.Result, watch_report.document, BENCHMARKS / "watch.md"),
        pytest.param("capacity-*.json", Capacity, capacity_report.document, capacity_report.PAGE),
    ],
)
def test_a_page_is_written_from_the_newest_result(
    pattern: str, kind: type[Any], document: Callable[[Any], str], page: Path
) -> None:
    assert page.read_text() == document(newest(pattern, kind)[1])


def test_the_page_on_seats_is_written_from_all_that_is_kept() -> None:
    assert seats.PAGE.read_text() == seats.document(seats.everything())


def test_the_page_on_reasons_is_written_from_all_that_is_kept() -> None:
    assert reasons.PAGE.read_text() == reasons.document(reasons.everything())


@pytest.mark.parametrize("page", [*BENCHMARKS.glob("*.md"), capacity_report.PAGE, DOCS / "benchmarks.md"], ids=str)
def test_every_picture_of_a_page_is_there(page: Path) -> None:
    for line in page.read_text().splitlines():
        if line.startswith("!["):
            assert (page.parent / line.rpartition("(")[2].removesuffix(")")).is_file(), line
