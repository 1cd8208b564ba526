"""The page on personal data states each retention time as the code has it."""

import re
from dataclasses import fields
from pathlib import Path

from service.settings import DAY_MS, HOUR_MS, Limits
from service.store.bot_decisions import LIFE_MS
from service.store.connections import HERE_MS
from service.store.pushes import MESSAGE_MS

UNIT_MS = {"second": 1_000, "hour": HOUR_MS, "day": DAY_MS}
CONSTANTS = {"HERE_MS": HERE_MS, "LIFE_MS": LIFE_MS, "MESSAGE_MS": MESSAGE_MS, "HOUR_MS": HOUR_MS}
TIMES = re.compile(r"_(?:days|hours|seconds|milliseconds)$")
OF_WORK = {
    "wait_seconds",
    "heartbeat_seconds",
    "ticket_seconds",
    "request_cpu_milliseconds",
    "search_milliseconds",
    "search_seconds",
    "batch_seconds",
    "simulation_seconds",
    "remote_seconds",
    "open_request_cpu_milliseconds",
    "webhook_failing_days",
}
"""Limits in units of time for which nothing is stored."""


def rows(checkout: Path) -> dict[str, str]:
    page = (checkout / "docs" / "personal-data.md").read_text("utf-8")
    found = re.findall(r"^\| [^|]+ \| [^|]+ \| ([^|]+) \| `(\w+)` \|$", page, re.MULTILINE)
    return {setting: kept for kept, setting in found}


def test_each_stated_time_is_the_one_in_the_code(checkout: Path) -> None:
    stated = rows(checkout)
    assert CONSTANTS.keys() <= stated.keys()
    for setting, kept in stated.items():
        number, unit = re.search(r"(\d+) (second|hour|day|message)", kept).groups()  # type: ignore[union-attr]
        if setting in CONSTANTS:
            assert int(number) * UNIT_MS[unit] == CONSTANTS[setting], setting
        else:
            assert int(number) == getattr(Limits(), setting), setting
            assert setting.rpartition("_")[2].removesuffix("s") == unit, setting


def test_each_limit_of_storage_is_stated(checkout: Path) -> None:
    of_time = {field.name for field in fields(Limits) if TIMES.search(field.name)}
    assert of_time - OF_WORK == {name for name in rows(checkout) if TIMES.search(name)}
