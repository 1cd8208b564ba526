"""Finds names with two meanings: `python -m tests.meanings` fails on every one in `service` and `workers`.

A public class must be defined once. A public constant of a module may be defined again with the same value only.
"""

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOMS = ("service", "workers")


def definitions(source: str) -> Iterator[tuple[str, str, int]]:
    """Yield the public classes and constants of a module: name, meaning, and line; a class means only itself."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield node.name, f"class at line {node.lineno}", node.lineno
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name) and target.id.isupper() and not target.id.startswith("_"):
                    yield target.id, ast.dump(node.value), node.lineno


def ambiguous(modules: Mapping[str, str]) -> list[str]:
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for module, source in modules.items():
        for name, meaning, line in definitions(source):
            own = f"{module}: {meaning}" if meaning.startswith("class at") else meaning
            found[name].append((own, f"{module}:{line}: {name} has two meanings"))
    return [place for same in found.values() if len({meaning for meaning, _ in same}) > 1 for _, place in same]


def main() -> None:
    """Look through all modules and leave with 1 where a name has two meanings."""
    paths = (path for room in ROOMS for path in sorted(Path(room).rglob("*.py")))
    found = ambiguous({str(path): path.read_text("utf-8") for path in paths})
    for line in found:
        print(line)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
