"""Markdown copies of the site's pages for language models. A copy has the URL of its page plus `.md`.

Links in copies lead to other copies. `llms.txt` lists all copies.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Final

from games.core.game import Game
from games.core.texts import LANGUAGES
from service.docs.chapters import chapters
from service.docs.reference import DescribedReply, DocumentedOperation, SchemaNode
from service.docs.sources import Guide
from service.http.problems import PROBLEMS, TEXTS, type_of

if TYPE_CHECKING:
    from service.docs.site import Site

FRONT: Final = "index"
"""Name of the start page's copy."""

DECISIONS: Final = "decisions/"

_FENCED: Final = re.compile(r"(^ *```.*?^ *```[^\n]*$)", re.DOTALL | re.MULTILINE)
_LINK: Final = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")

Entry = tuple[str, str, str]
"""A line of `llms.txt`: title, path of the page, and description."""


def copy_address(path: str) -> str:
    """Return the URL path of a page's Markdown copy. `path` is the page's path below `/docs`."""
    return f"/docs/{path or FRONT}.md"


class Copies:
    """The Markdown copies of a site's pages."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def writers(self) -> dict[str, Callable[[], str]]:
        """Return functions that build the pages' Markdown copies. The keys are the pages' paths below `/docs`."""
        site = self._site
        found: dict[str, Callable[[], str]] = {
            "": partial(self._index, "Documentation"),
            "reference": partial(self._index, "Reference", "Reference: "),
            "schemas": partial(self._index, "Schemas", "Schemas"),
            "problems": partial(self._index, "Problems", "Problems"),
            "rules": partial(self._index, "Rules", "Rules"),
        }
        found |= {f"guides/{guide.name}": partial(self._guide, guide) for guide in site.sources.guides.values()}
        found |= {f"reference/{each.id}": partial(self._operation, each) for each in site.operations.values()}
        found |= {f"schemas/{name}": partial(self._schema, name) for name in site.schemas.by_name}
        found |= {f"problems/{code}": partial(self._problem, code) for code in PROBLEMS}
        found |= {
            f"rules/{slug}/{language}": partial(self._rules, game, language)
            for slug, game in site.games.items()
            for language in LANGUAGES
        }
        return {path: partial(self._linked, path, write) for path, write in found.items()}

    def llms(self) -> str:
        """Return `llms.txt`, the list of all copies. Its URLs have no host."""
        said = TEXTS.sections[LANGUAGES[0]]["site"]
        intro = [
            f"# Dorfplatz\n\n> {said['lead']}\n",
            f"{said['contract_text']} It is at [openapi.json](/openapi.json). Each page below is a Markdown copy.\n",
        ]
        lines = [
            f"\n## {group}\n\n"
            + "".join(f"- [{title}]({copy_address(path)}): {about}\n" for title, path, about in rows)
            for group, rows in self._groups()
            if rows
        ]
        return "\n".join(intro) + "".join(lines)

    def _groups(self) -> Iterator[tuple[str, list[Entry]]]:
        site = self._site
        fronts = [
            ("Documentation", "", "All pages."),
            ("Reference", "reference", "All operations."),
            ("Schemas", "schemas", "All schemas."),
            ("Problems", "problems", "All problems."),
            ("Rules", "rules", "The rules of all games."),
        ]
        yield "Indexes", fronts
        for group, guides in site.sources.menu().items():
            yield group, [self._guide_entry(guide) for guide in guides]
        for tag, operations in site.tags.items():
            rows = [
                (each.summary.rstrip("."), f"reference/{each.id}", f"`{each.method} {each.path}`")
                for each in operations
            ]
            yield f"Reference: {tag}", rows
        yield "Problems", [(site.titles[code], f"problems/{code}", f"{PROBLEMS[code]} `{code}`") for code in PROBLEMS]
        yield "Rules", [self._rules_entry(game, language) for game in site.games.values() for language in LANGUAGES]
        yield "Schemas", [(name, f"schemas/{name}", self._first(name)) for name in sorted(site.schemas.by_name)]
        decisions = [guide for name, guide in site.sources.guides.items() if name.startswith(DECISIONS)]
        yield "Optional", [self._guide_entry(guide) for guide in decisions]

    def _first(self, schema: str) -> str:
        said = str(self._site.schemas.by_name[schema].get("description", ""))
        return _first_sentence(said) or "A schema of the contract."

    def _guide_entry(self, guide: Guide) -> Entry:
        paragraphs = _FENCED.sub("", self._site.sources.text(guide)).split("\n\n")
        prose = next((each for each in paragraphs if each[:1].isalpha()), guide.title)
        return guide.title, f"guides/{guide.name}", _first_sentence(_LINK.sub(r"\2", " ".join(prose.split())))

    def _rules_entry(self, game: Game, language: str) -> Entry:
        names = game.texts.sections[language]["names"]
        return f"{names['title']} ({language})", f"rules/{game.slug}/{language}", names["subtitle"]

    def _linked(self, path: str, write: Callable[[], str]) -> str:
        text = write()
        pages = self._site.page_paths

        def lead(match: re.Match[str]) -> str:
            target, mark, part = match[3].partition("#")
            inside = target.removeprefix("/docs").strip("/")
            if f"{inside}/{LANGUAGES[0]}" in pages:  # the page of a game's rules leads to one in the reader's language
                inside += f"/{LANGUAGES[0]}"
            if not target.startswith("/docs") or inside not in pages:
                return match[0]
            return f"{match[1]}[{match[2]}]({copy_address(inside)}{mark}{part})"

        return _outside_code(text, partial(_LINK.sub, lead)).rstrip("\n") + "\n"

    # Pages.

    def _index(self, title: str, prefix: str = "") -> str:
        rows = [f"# {title}\n"]
        for group, entries in self._groups():
            if group.startswith(prefix) and entries:
                rows.append(f"## {group}\n")
                rows.append("\n".join(f"- [{name}](/docs/{path}): {about}" for name, path, about in entries) + "\n")
        return "\n".join(rows)

    def _guide(self, guide: Guide) -> str:
        def lead(match: re.Match[str]) -> str:
            target = self._site.sources.address(match[3], guide.path)
            return match[2] if target is None else f"{match[1]}[{match[2]}]({target})"

        return _outside_code(self._site.sources.text(guide), partial(_LINK.sub, lead))

    def _operation(self, operation: DocumentedOperation) -> str:
        rows = [f"# {operation.summary.rstrip('.')}\n", f"`{operation.method} {operation.path}` · `{operation.id}`\n"]
        if operation.description:
            rows.append(operation.description + "\n")
        if operation.security:
            ways = ", or ".join(" and ".join(f"`{name}`" for name in way) or "none" for way in operation.security)
            rows.append(f"Credentials: {ways}\n")
        if parameters := operation.parameters():
            rows.append("## Parameters\n")
            for each in parameters:
                required = ", required" if each.required else ""
                facts = _facts(each.bounds, each.values, each.description)
                rows.append(f"- `{each.name}` ({each.kind} in {each.where}{required}){facts}")
            rows.append("")
        if body := operation.body():
            rows += ["## Body\n", *([body[0] + "\n"] if body[0] else []), *_tree(body[1]), ""]
        rows += ["## Responses\n", *(line for reply in operation.replies() for line in _reply(reply)), ""]
        for example in operation.examples(self._site.sources)[:1]:
            rows += [f"## Example\n\n`{example.request['method']} {example.request['path']}` → {example.status}\n"]
            if example.body:
                rows.append(f"```{example.language}\n{example.body}\n```\n")
        return "\n".join(rows)

    def _schema(self, name: str) -> str:
        node = self._site.schemas.page(name)
        used = [each for each in self._site.operations.values() if name in each.schema_names]
        rows = [f"# {name}\n", *([node.description + "\n"] if node.description else []), *_tree(node), ""]
        if used:
            rows += ["## Used by\n", *_operation_lines(used), ""]
        return "\n".join(rows)

    def _problem(self, code: str) -> str:
        site = self._site
        where = [operation for operation in site.operations.values() if code in operation.problems]
        details = [f"- {each}: {TEXTS.sections[each]['details'][code]}" for each in LANGUAGES]
        rows = [f"# {site.titles[code]}\n", f"{PROBLEMS[code]} `{code}` · `{type_of(code)}`\n", *details, ""]
        rows += ["## What to do\n", site.remedy(code) + "\n"]
        if where:
            rows += ["## Operations\n", *_operation_lines(where), ""]
        return "\n".join(rows)

    def _rules(self, game: Game, language: str) -> str:
        said, texts = game.texts.sections[language]["names"], TEXTS.sections[language]["site"]
        by = texts["by"].format(authors=", ".join(game.authors))
        rows = [f"# {said['title']}\n", f"{said['subtitle']}. {by}, {game.year}.\n"]
        rows += [f"## {texts[key]}\n\n{said[key]}\n" for key in ("goal", "order") if key in said]
        for title, rules in chapters(game, language):
            rows.append(f"## {title}\n")
            for rule in rules:
                source = game.source(rule.source, language)
                rows.append(f"- **{rule.id}** {game.sentence(rule, language)} ({source})")
            rows.append("")
        return "\n".join(rows)


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=[.:;])\s", text, maxsplit=1)[0].rstrip(":;")


def _outside_code(text: str, change: Callable[[str], str]) -> str:
    parts = _FENCED.split(text)
    return "".join(part if number % 2 else change(part) for number, part in enumerate(parts))


def _facts(bounds: str, values: Iterable[str], description: str) -> str:
    chosen = ", ".join(f"`{value}`" for value in values)
    facts = "; ".join(fact for fact in (bounds, chosen) if fact)
    return (f" {facts}" if facts else "") + (f": {description}" if description else "")


def _tree(node: SchemaNode) -> list[str]:
    kind = f"[{node.schema}](/docs/schemas/{node.schema})" if node.schema else node.kind
    return [f"Type: {kind}{_facts(node.bounds, node.values, '')}", "", *_fields(node, "")]


def _fields(node: SchemaNode, indent: str) -> Iterator[str]:
    for child in node.children:
        name = "one of:" if child.choice else f"`{child.name}`"
        link = f"[{child.schema}](/docs/schemas/{child.schema})" if child.schema else ""
        kind = child.kind.replace(child.schema, link, 1) if child.schema else child.kind
        required = ", required" if child.required else ""
        yield f"{indent}- {name} ({kind}{required}){_facts(child.bounds, child.values, child.description)}"
        yield from _fields(child, indent + "  ")


def _reply(reply: DescribedReply) -> Iterator[str]:
    yield f"- **{reply.status}** {'; '.join(reply.said) or reply.title}"
    if reply.node is not None and reply.fine:
        yield from _fields(reply.node, "  ")


def _operation_lines(operations: Iterable[DocumentedOperation]) -> Iterator[str]:
    for each in operations:
        yield f"- [{each.summary.rstrip('.')}](/docs/reference/{each.id}): `{each.method} {each.path}`"


def with_host(text: str, host: str) -> str:
    """Return the Markdown `text` with `host` in front of every link that has no host.

    `host` is a base URL that ends in a slash.
    """
    return text.replace("](/", f"]({host}")
