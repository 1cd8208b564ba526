"""A mutant's code is put into the existing functions, and its line is found in a statement."""

from __future__ import annotations

import gc
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tests.mutation.stem import implant

CODE = '''"""Made up."""

import functools

START = 1 + 1


def counted(function, step=1):
    @functools.wraps(function)
    def inner(*args):
        return [function(*args) + step for _ in "ab"][0]

    return inner


class Adder:
    size = 2 + 3

    @property
    def two(self):
        return 1 + 1

    @counted
    def more(self):
        return (
            10
            + 10
        )


def numbers():
    yield from (n + 0 for n in (1, 2))
'''


@pytest.fixture
def made_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    (tmp_path / "made_up.py").write_text(CODE, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("made_up")
    del sys.modules["made_up"]
    gc.freeze()  # `implant` looks through all objects; the collector passes over what pytest collected, as before


def test_a_mutant_of_a_function_is_what_its_callers_run(made_up: ModuleType) -> None:
    adder, numbers = made_up.Adder(), made_up.numbers
    for before, after in (("return 1 + 1", "return 1 - 1"), ("+ 10", "- 10"), ("+ step", "- step"), ("n + 0", "n + 5")):
        assert implant("made_up.py", CODE, CODE.replace(before, after))
    assert (adder.two, adder.more(), list(numbers())) == (0, -1, [6, 7])
