"""A trace of every rule from a game's RULES.md to the code that follows it and the test that proves it.

`python -m tests.rule_trace` fails on a rule that no code cites, on a rule that no test proves with `@pytest.mark.rule`,
and on a citation of nothing. It fails on texts that leave a rule out, too. Of a game that is not registered, because it
is still being written, only the citations are traced.
"""

import json
import os
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from games.core.registry import registered
from games.core.rules import read_rules

Citations = Mapping[str, Sequence[str]]
"""Places of citations of each rule id, as `file:line` or as the name of a test."""

_ID: Final = re.compile(r"\b[A-Z]{2}-D?\d+\b")
_MARKED: Final = re.compile(r"mark\.rule|rules=")
_ROOMS: Final = ("games", "service", "workers", "tests", "docs", "openapi/examples")
_KINDS: Final = frozenset({".json", ".md", ".py"})


@dataclass(frozen=True, slots=True)
class Trace:
    """References to rules: the rules themselves, the citations of code and texts, and the proofs of tests."""

    rules: frozenset[str]
    due: frozenset[str]
    """Rules of registered games, which code must follow and tests must prove."""

    code: Citations
    elsewhere: Citations
    proven: Citations


class Marks:
    """A pytest plug-in that collects the rules that the tests claim to prove."""

    def __init__(self) -> None:
        self.proven: defaultdict[str, list[str]] = defaultdict(list)

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Pass over modules without `mark.rule` or `rules=`; a rule that only such a one proves counts as unproven."""
        is_module = collection_path.suffix == ".py" and collection_path.name.startswith("test_")
        return None if not is_module or _MARKED.search(collection_path.read_text("utf-8")) else True

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Read the marks of every test that would run."""
        for item in session.items:
            for mark in item.iter_markers("rule"):
                for rule in mark.args:
                    self.proven[rule].append(item.nodeid)


def cited(files: Iterable[Path]) -> dict[str, list[str]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for file in files:
        for number, line in enumerate(file.read_text("utf-8").splitlines(), start=1):
            for rule in _ID.findall(line):
                found[rule].append(f"{file}:{number}")
    return dict(found)


def complaints(trace: Trace) -> list[str]:
    prefixes = {prefix(rule) for rule in trace.rules}
    lines = [f"{rule}: no code cites it" for rule in trace.due - trace.code.keys()]
    lines += [f"{rule}: no test proves it" for rule in trace.due - trace.proven.keys()]
    for rule, places in trace.code.items():
        if rule not in trace.rules:
            lines.append(f"{rule}: is no rule, but cited in {places[0]}")
    for rule, places in trace.elsewhere.items():
        # Tests make up ids of games that do not exist, to try this very tool.
        if rule not in trace.rules and prefix(rule) in prefixes:
            lines.append(f"{rule}: is no rule, but cited in {places[0]}")
    for rule, tests in trace.proven.items():
        if rule not in trace.rules:
            lines.append(f"{rule}: is no rule, but {tests[0]} says it proves it")
    return sorted(lines, key=by_number)


def untold(texts: Mapping[str, Any], rules: Iterable[str], file: Path) -> list[str]:
    """Return the rules that a game's texts in one language leave out."""
    return [f"{rule}: {file} does not tell it" for rule in rules if rule not in texts.get("rules", {})]


def prefix(rule: str) -> str:
    """Return the part of an id that names the game."""
    return rule.partition("-")[0]


def by_number(line: str) -> tuple[str, bool, int, str]:
    """Sort HR-2 before HR-10, and decisions after the rest."""
    rule = line.partition(":")[0]
    name, _, number = rule.partition("-")
    return name, number.startswith("D"), int(number.removeprefix("D")), line


def marked_tests() -> dict[str, list[str]]:
    marks = Marks()
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere, redirect_stdout(nowhere):
        code = pytest.main(["--collect-only", "-q", "-p", "no:cacheprovider"], plugins=[marks])
    if code != pytest.ExitCode.OK:
        sys.exit(f"rule trace: the tests cannot be collected ({code}); run `python3 dev.py test --collect-only`")
    return dict(marks.proven)


def main() -> None:
    """Trace every game and leave with 1 where something is missing."""
    games = sorted(path.parent for path in Path("games").glob("*/RULES.md"))
    numbered = {folder: [rule.id for rule in read_rules(f"games.{folder.name}")] for folder in games}
    toys = cited(Path("tests").glob("*/RULES.md"))
    files = [path for room in _ROOMS for path in Path(room).rglob("*") if path.suffix in _KINDS]
    code = [path for path in files if path.suffix == ".py" and path.parts[0] in {"games", "service", "workers"}]
    traced = {rule for rules in numbered.values() for rule in rules}
    whole = {Path("games", type(game).__module__.split(".")[1]) for game in registered().values()}
    due = {folder: rules for folder, rules in numbered.items() if folder in whole}
    proven = {rule: tests for rule, tests in marked_tests().items() if rule not in toys}
    trace = Trace(
        rules=frozenset(traced),
        due=frozenset(rule for rules in due.values() for rule in rules),
        code=cited(code),
        elsewhere=cited(set(files) - set(code)),
        proven=proven,
    )
    lines = complaints(trace)
    for folder, rules in due.items():
        # The English sentences stand in RULES.md itself.
        for file in sorted(path for path in (folder / "texts").glob("*.json") if path.stem != "en"):
            lines += untold(json.loads(file.read_text("utf-8")), rules, file)
    for line in lines:
        print(line)
    sys.exit(f"rule trace: {len(lines)} complaints" if lines else 0)


if __name__ == "__main__":
    main()
