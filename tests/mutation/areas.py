"""Areas: the tests that judge the mutants of modules, and the mutants that change nothing important."""

from __future__ import annotations

import ast
import hashlib
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Final

HERE: Final = Path(__file__).parent


@dataclass(frozen=True)
class Area:
    """Modules, as globs, and the tests that judge their mutants: the reaching ones of `first`, then all of `then`.

    `word` is the argument of pytest's -k, for both.
    """

    name: str
    modules: tuple[str, ...]
    first: tuple[str, ...]
    then: tuple[str, ...]
    word: str = ""

    @property
    def chosen(self) -> tuple[str, ...]:
        """Return the arguments of pytest besides modules of tests."""
        return ("-k", self.word) if self.word else ()

    def paths(self) -> list[Path]:
        return sorted({path for glob in self.modules for path in Path().glob(glob) if not path.name.startswith("__")})

    def judges(self) -> list[Path]:
        return [path for place in map(Path, self.first) for path in (sorted(place.rglob("*.py")) or [place])]


@dataclass(frozen=True)
class Equivalent:
    """A mutant without an important effect: its module, the line before and after, and the reason."""

    module: str
    before: str
    after: str
    why: str


def areas() -> dict[str, Area]:
    told = tomllib.loads((HERE / "areas.toml").read_text("utf-8"))
    return {
        name: Area(
            name, tuple(table["modules"]), tuple(table["first"]), tuple(table["then"]), word=table.get("word", "")
        )
        for name, table in told.items()
    }


def equivalents() -> list[Equivalent]:
    told = tomllib.loads((HERE / "equivalents.toml").read_text("utf-8"))
    return [Equivalent(**table) for table in told.get("equivalent", ())]


def digest(paths: Iterable[Path], sample: int, seed: int) -> str:
    """Return a name for a sample of mutants of some modules as they are now."""
    told = hashlib.sha256(f"{sample} {seed}".encode())
    for path in paths:
        told.update(path.read_bytes())
    return told.hexdigest()[:12]


def lines_of(diff: str) -> tuple[str, str]:
    """Return the removed line of a diff and its replacement, without the space around."""
    rows = [row for row in diff.splitlines() if not row.startswith(("---", "+++"))]
    before, after = (" ".join(filter(None, (row[1:].strip() for row in rows if row[:1] == sign))) for sign in "-+")
    return before, after


WIDTHS: Final = (12, 4, 7, 13, 20, 10, 5, 10)
"""Widths of the columns of the table in docs/mutation.md."""


def row(name: str, seed: int, counts: tuple[int, int, int, int], day: date) -> str:
    """Return a sample's row of the table in docs/mutation.md.

    `counts` are the mutants killed before, killed by a new test, equivalent, and alive.
    """
    cells = [f"{name:<{WIDTHS[0]}}"]
    cells += [f"{cell!s:>{width}}" for cell, width in zip((seed, sum(counts), *counts, day), WIDTHS[1:], strict=True)]
    return f"| {' | '.join(cells)} |"


def program(code: str) -> str:
    """Return the effective code of a module, without annotations; the code itself if it is no program."""
    try:
        return ast.dump(_Bare().visit(ast.parse(code)))
    except SyntaxError:
        return code


class _Bare(ast.NodeTransformer):
    """Takes away what nobody reads at run time: annotations of functions and names, and blocks for type checkers."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        node.returns = None
        return self.generic_visit(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> Any:
        node.returns = None
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> Any:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        node.annotation = ast.Constant(None)
        return self.generic_visit(node)

    def visit_If(self, node: ast.If) -> Any:
        return None if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING" else self.generic_visit(node)
