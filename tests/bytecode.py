"""Has pytest import the modules of tests, and store their bytecode, without making tests of them: a plugin."""

import pytest


def pytest_pycollect_makeitem() -> list[pytest.Item]:
    return []
