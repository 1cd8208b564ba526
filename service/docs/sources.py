"""Files of the source checkout that the site shows, and their URLs.

If a page's file is missing, the page is left out.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

import msgspec

from service.contract.examples import examples_folder

GROUPS: Final[Mapping[str, tuple[str, ...]]] = {
    "Play and compute": (
        "quick-start",
        "which-one",
        "history",
        "clocks",
        "jobs",
        "tournaments",
        "bulk",
        "guides/retries",
        "guides/errors",
        "guides/event-streams",
        "guides/pictures",
        "guides/python-client",
        "guides/typescript-client",
        "guides/own-bots",
        "guides/tables",
        "guides/league",
        "controls",
        "tutorials",
        "puzzles",
        "own-games",
        "datasets",
        "sealed-snapshots",
        "fairness",
        "api-keys",
        "personal-data",
        "webhooks",
        "push",
        "phrases",
        "evolution",
        "games/barbarossa-clay",
        "games/barbarossa-terms",
    ),
    "Run it": ("operations", "capacity", "benchmarks", "benchmarks/servers", "benchmarks/sessions"),
    "How it is made": ("architecture", "architecture-sessions", "strength", "glossary", "decisions", "contributing"),
}
"""Groups of the menu, in order. Pages that are not listed are in the last group; decisions have their own index."""

KEYWORDS: Final[Mapping[str, str]] = {
    "api-keys": "login log in auth authentication authorization credentials account oauth",
    "api-keys#list-your-sessions-and-jobs": "pagination paging pages list cursor",
    "guides/errors": "error errors exception problem failure",
    "guides/event-streams": "websocket websockets sse server-sent realtime",
    "guides/event-streams#poll-instead-of-streaming": "polling poll long-polling",
    "guides/event-streams#serve-other-origins": "cors cross-origin origin",
    "personal-data": "gdpr privacy retention erasure delete forget",
    "guides/retries": "idempotency idempotent retry retries",
    "datasets": "dataset datasets parquet hugging-face training-data",
    "clocks#absence": "absent absence inactive vote kick",
    "clocks#pauses": "pause pauses vacation holiday",
    "history#undo-by-consent": "undo takeback",
    "push": "push notification notifications vapid service-worker",
    "phrases": "chat emote emotes phrase phrases mute",
    "quick-start": "start begin install hello",
    "puzzles": "puzzle puzzles problem-of-the-day",
    "tutorials": "tutorial tutorials learn lesson",
}
"""Search words for which a page, or a section of a page, must be the first result."""

ROOT_PAGES: Final = {"CONTRIBUTING.md": "contributing", "CHANGELOG.md": "changelog", "SECURITY.md": "security"}
QUICK_START: Final = "quick-start"
CREDENTIALS: Final = {"Api-Key", "Authorization", "Seat-Key"}
FILES: Final = frozenset({".svg", ".png", ".py", ".json", ".txt", ".ipynb"})

_TITLE: Final = re.compile(r"^# (.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Guide:
    """A page written in Markdown. `path` is the page's path in the checkout. `name` is the page's name in URLs."""

    path: str
    name: str
    title: str


class Sources:
    """The files of the source checkout. A container image contains only some of them."""

    def __init__(self) -> None:
        """Find the source checkout that contains this package."""
        examples = examples_folder()
        self._root = None if examples is None else examples.parents[1]

    @cached_property
    def guides(self) -> dict[str, Guide]:
        """All Markdown pages by their name in URLs."""
        if self._root is None:
            return {}
        found = {path: name for path, name in ROOT_PAGES.items() if (self._root / path).exists()}
        for file in sorted((self._root / "docs").rglob("*.md")):
            inside = file.relative_to(self._root / "docs")
            found[f"docs/{inside}"] = str(inside.with_suffix("")).removesuffix("/README")
        return {name: Guide(path, name, self._title(path)) for path, name in found.items()}

    @cached_property
    def by_path(self) -> dict[str, Guide]:
        """All Markdown pages by their path in the checkout."""
        return {guide.path: guide for guide in self.guides.values()}

    @cached_property
    def files(self) -> dict[str, Path]:
        """Pictures, scripts and data files in `docs/`, by their path in that folder."""
        if self._root is None:
            return {}
        folder = self._root / "docs"
        found = (file for file in sorted(folder.rglob("*")) if file.suffix in FILES and file.is_file())
        return {str(file.relative_to(folder)): file for file in found}

    def text(self, guide: Guide) -> str:
        return self._read(guide.path)

    def menu(self) -> dict[str, list[Guide]]:
        """Return the pages in the menu by group.

        The pages of single design decisions (`docs/decisions`) are not in the menu. The menu contains one page that
        lists all of them.
        """
        menu = {title: [self.guides[name] for name in names if name in self.guides] for title, names in GROUPS.items()}
        listed = {guide.name for group in menu.values() for guide in group}
        last = menu[list(GROUPS)[-1]]
        last += [
            guide for name, guide in self.guides.items() if name not in listed and not name.startswith("decisions/")
        ]
        return {title: group for title, group in menu.items() if group}

    def address(self, target: str, origin: str) -> str | None:
        """Return the site's URL for the link `target` in the page `origin`.

        Return None if the site does not show the target.
        """
        path, mark, part = target.partition("#")
        if not path or re.match(r"[a-z]+:|/", path):
            return target
        whole = posixpath.normpath(posixpath.join(posixpath.dirname(origin), path))
        found = self._page(whole)
        return None if found is None else found + mark + part

    def _page(self, path: str) -> str | None:
        guide = self.by_path.get(path) or self.by_path.get(f"{path}/README.md")
        if guide is not None:
            return f"/docs/guides/{guide.name}"
        if rules := re.fullmatch(r"games/(\w+)/RULES\.md", path):
            return f"/docs/rules/{rules[1].replace('_', '-')}"
        if path == "openapi/openapi.yaml":
            return "/openapi.json"
        inside = path.removeprefix("docs/")
        return f"/docs/files/{inside}" if inside != path and inside in self.files else None

    def requests(self, operation: str) -> dict[str, dict[str, Any]]:
        """Return a dict of recorded examples. It maps the name of each example to the example itself.

        `operation` is the id of the operation for which the examples were recorded. The example with the simplest
        request comes first.
        """
        if self._root is None:
            return {}
        folder = self._root / "openapi" / "examples" / operation
        found = {file.stem: msgspec.json.decode(file.read_bytes()) for file in sorted(folder.glob("*.json"))}
        return dict(sorted(found.items(), key=_unlike_a_first_request))

    def _title(self, path: str) -> str:
        heading = _TITLE.search(self._read(path))
        return path if heading is None else heading[1].replace("`", "")

    def _read(self, path: str) -> str:
        if self._root is None:
            raise FileNotFoundError(path)
        return (self._root / path).read_text("utf-8")


def _unlike_a_first_request(recorded: tuple[str, dict[str, Any]]) -> tuple[bool, bool, bool]:
    asked = recorded[1]["request"]
    return (
        recorded[1]["response"]["status"] >= HTTPStatus.MULTIPLE_CHOICES,
        not CREDENTIALS.isdisjoint(asked["headers"]) or _is_sealed(asked.get("body")),
        "?" in asked["path"],
    )


def _is_sealed(body: Any) -> bool:
    """Return whether the body of an example request contains a sealed snapshot.

    A sealed snapshot is encrypted, and only the service that created it can decrypt it. So readers cannot send this
    request to their own service.
    """
    snapshot = body.get("snapshot") if isinstance(body, dict) else None
    return isinstance(snapshot, dict) and snapshot.get("sealed") is True
