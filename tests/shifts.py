"""A check for shifts in compiled modules: `python -m tests.shifts` fails on every one outside `games/core/bits.py`.

A shift of a literal is done in 32 bits when compiled and without a bound when plain. So shifts stand once, under names,
where both ways are tested.
"""

import ast
import sys
from pathlib import Path
from typing import Final

from games.core.kernel import hot_modules

ALLOWED: Final = "games/core/bits.py"


def shifts(source: str) -> list[int]:
    nodes = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.BinOp | ast.AugAssign))
    return sorted(node.lineno for node in nodes if isinstance(node.op, ast.LShift | ast.RShift))


def main() -> None:
    """Look through all hot modules and leave with 1 where something is found."""
    root = Path.cwd()
    found = [
        f"{name}:{line}: shifts bits; games.core.bits has a name for it"
        for name in hot_modules(root)
        if name != ALLOWED
        for line in shifts((root / name).read_text("utf-8"))
    ]
    for line in found:
        print(line)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
