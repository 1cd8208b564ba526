"""Check of the grammar of a folder's source files: `grammar.py swift|dart FOLDER`.

Run in the environment that `bench/peers/locks/grammars.lock` describes.
"""
# mypy: disable-error-code="import-not-found"

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from tree_sitter import Language, Parser


def grammar(language: str) -> Language:
    """Return the grammar of a language."""
    if language == "swift":
        import tree_sitter_swift as module  # noqa: PLC0415 -- one of two
    else:
        import tree_sitter_dart as module  # noqa: PLC0415 -- one of two
    return Language(module.language())


def faults(node: Any) -> Any:
    """Yield the nodes that the grammar does not know or misses."""
    if node.is_error or node.is_missing:
        yield node
    elif node.has_error:
        for child in node.children:
            yield from faults(child)


def main(language: str, folder: Path) -> None:
    """Print each fault as a file, its line and its source text."""
    parser = Parser(grammar(language))
    for file in sorted(folder.rglob(f"*.{language}")):
        source = file.read_bytes()
        for fault in faults(parser.parse(source).root_node):
            line = fault.start_point[0]
            sys.stdout.write(f"{file.name}:{line + 1}: {source.splitlines()[line].decode().strip()}\n")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
