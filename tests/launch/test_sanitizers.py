"""A kernel with sanitizers ends where C goes beyond what it may, and is built beside the usual one."""

import subprocess
import sys
from pathlib import Path

import pytest

from games.core.kernel import SANITIZERS, compiler
from tests.sanitize import Part, run
from tools.build import NotBuiltError, sanitizing

pytestmark = pytest.mark.thorough

PLANTED = r"""
long long beyond(long long number) { return number << 62; }
char after(const char *text, long long place) { return text[place]; }
"""
"""Mypyc's code for a shift of an i64; and a look behind the end of a text."""

CALLS = {
    "what C may do": ("beyond(c_longlong(1))", ""),
    "a number that is shifted out": ("beyond(c_longlong(4))", "left shift of 4 by 62 places cannot be represented"),
    "memory behind an end": ("after(create_string_buffer(64), c_longlong(64))", "AddressSanitizer"),
}


@pytest.fixture(scope="module")
def environment() -> dict[str, str]:
    try:
        return sanitizing(Path.cwd())
    except NotBuiltError as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory, environment: dict[str, str]) -> Path:
    assert environment["LD_PRELOAD"]
    folder = tmp_path_factory.mktemp("planted")
    (folder / "planted.c").write_text(PLANTED)
    command = [compiler(), "-shared", "-fPIC", "-O1", *SANITIZERS, "planted.c", "-o", "planted.so"]
    subprocess.run(command, cwd=folder, check=True)
    return folder / "planted.so"


@pytest.mark.parametrize("name", CALLS)
def test_sanitizers_report_what_goes_beyond(name: str, library: Path, environment: dict[str, str]) -> None:
    call, said = CALLS[name]
    script = f"from ctypes import *; planted = CDLL({str(library)!r}); planted.{call}"
    found = run(Part(name, (sys.executable, "-S", "-c", script)), environment)[1]
    assert said in found
    assert bool(found) == bool(said)
