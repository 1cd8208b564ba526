"""A pytest plugin that runs the conformance suite on a game alone: `pytest --conformance SLUG`.

SLUG is that of a game of an installed package (docs/own-games.md); `package.module:GAME` names a game without an entry
point. The tests of the current folder run as well, unless `--pyargs`, a path or `-k` excludes them.
"""

from importlib import import_module
from pathlib import Path
from typing import Final

import pytest

from games.core.admission import admit
from games.core.game import Game
from games.core.registry import found, ours, reason_of

from .subjects import NAMED

SUITE: Final = ("chance", "controls", "ends", "facts", "knowledge", "moves", "standing", "tables", "texts")
"""The modules of tests that ask for nothing but a game."""

MARKS: Final = (
    "rule(id): proves the rule of this id in a game's RULES.md",
    "thorough: proves again, with larger tables, what another test proves",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--conformance", action="append", default=[], metavar="SLUG", help="run Dorfplatz's conformance suite on a game"
    )


def pytest_configure(config: pytest.Config) -> None:
    for mark in MARKS:
        config.addinivalue_line("markers", mark)
    for name in config.getoption("--conformance"):
        game = load(name)
        NAMED[game.slug] = game
    if NAMED:
        here = Path(__file__).resolve().parent
        suite = [str(here / f"test_{name}.py") for name in SUITE]
        config.args += [file for file in suite if file not in config.args]


def load(name: str) -> Game:
    if ":" not in name:
        if name in found().games:
            return found().games[name]
        reasons = [f"{one.package}, {one.entry_point}: {one.reason}" for one in found().refused]
        known = ", ".join(found().games)
        raise pytest.UsageError(
            f"no game {name} is served, only {known}", *(f"refused: {reason}" for reason in reasons)
        )
    module, _, attribute = name.partition(":")
    try:
        game: Game = getattr(import_module(module), attribute)
        admit(game, ours())
    except Exception as error:
        raise pytest.UsageError(f"{name} would not be served: {reason_of(error)}") from error
    return game
