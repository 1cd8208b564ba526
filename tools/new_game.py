"""Writes a package with a first game: Pebbles of `tests/toy` and the frame of `clients/pebbles`, renamed.

Used as `dev.py new-game NAME FOLDER`. Standard library alone.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

TOY: Final = Path("tests", "toy")
FRAME: Final = Path("clients", "pebbles")
TEMPLATE: Final = "pebbles"
NAME: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z][a-z0-9]*)*")


@dataclass(frozen=True, slots=True)
class Names:
    """The forms of a game's name."""

    slug: str

    @property
    def snake(self) -> str:
        """The form in kinds of moves and events."""
        return self.slug.replace("-", "_")

    @property
    def package(self) -> str:
        """The form of a package."""
        return f"dorfplatz_{self.snake}"

    @property
    def camel(self) -> str:
        """The form in names of types."""
        return "".join(word.capitalize() for word in self.slug.split("-"))

    @property
    def title(self) -> str:
        """The form for people."""
        return " ".join(word.capitalize() for word in self.slug.split("-"))

    @property
    def rules(self) -> str:
        """Two letters before the numbers of rules."""
        words = self.slug.split("-")
        return ((words[0][0] + words[1][0]) if len(words) > 1 else f"{self.slug}x"[:2]).upper()

    def written(self, text: str, kind: str) -> str:
        """Return a text of the template with these names."""
        text = text.replace("tests.toy", self.package).replace("dorfplatz_pebbles", self.package)
        text = text.replace("dorfplatz-pebbles", f"dorfplatz-{self.slug}")
        if self.slug == TEMPLATE:
            return text
        text = re.sub(r"\bPB-", f"{self.rules}-", text)
        if kind == ".json":
            return re.sub(r'^(\s*")(\w*?)pebbles?(\w*":)', rf"\g<1>\g<2>{self.snake}\g<3>", text, flags=re.MULTILINE)
        if kind == ".py":
            text = re.sub(r'"pebbles(/\d+)?"', rf'"{self.slug}\g<1>"', text)
            text = re.sub(r'="(\w*?)pebbles?(\w*)"', rf'="\g<1>{self.snake}\g<2>"', text)
            return re.sub(r"Pebbles?(?![a-z])", self.camel, text)
        text = re.sub(
            r"(?<=conformance )pebbles|(?<=games/)pebbles|^pebbles(?= = )", self.slug, text, flags=re.MULTILINE
        )
        return text.replace("Pebbles", self.title)


def files(root: Path) -> Iterator[tuple[Path, Path]]:
    """Yield each file of the template with its path in the package's folder."""
    for path in sorted((root / FRAME).iterdir()):
        if path.is_file():
            yield path, Path(path.name)
    for path in sorted((root / TOY).rglob("*")):
        if path.suffix in {".py", ".md", ".json"}:
            yield path, Path("src", "PACKAGE", path.relative_to(root / TOY))


def write(root: Path, slug: str, folder: Path) -> Path:
    """Write a package into a new folder and return it; raise ValueError for an invalid name."""
    if not NAME.fullmatch(slug):
        raise ValueError(f"{slug!r} is no name: small letters and digits, words with hyphens between")
    if folder.exists() and any(folder.iterdir()):
        raise ValueError(f"{folder} is not empty")
    names = Names(slug)
    for source, place in files(root):
        text = names.written(source.read_text("utf-8"), source.suffix)
        if source.suffix == ".json" and source.parent.name == "texts" and slug != TEMPLATE:
            sections = json.loads(text)
            sections["names"]["title"] = names.title
            text = json.dumps(sections, indent=2, ensure_ascii=False) + "\n"
        target = folder / str(place).replace("PACKAGE", names.package)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
    (folder / "src" / names.package / "py.typed").touch()
    return folder


def main(arguments: list[str]) -> None:
    """Write the package named by the arguments, or print the errors in them."""
    if len(arguments) != 2:  # noqa: PLR2004 -- a name and a folder
        sys.exit("dorfplatz: new-game NAME FOLDER, as `new-game sheep-dog ../sheep-dog`")
    try:
        write(Path.cwd(), arguments[0], Path(arguments[1]))
    except ValueError as reason:
        sys.exit(f"dorfplatz: {reason}")
    print(f"{arguments[1]} has a game to begin with; docs/own-games.md tells how it goes on")
