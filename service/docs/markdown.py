"""Converts Markdown to HTML with markdown-it-py and highlights code with Pygments. Links point to pages of the site."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

TABS: Final = {"sh": "curl", "ts": "TypeScript", "python": "Python"}
"""Tab labels by language. Adjacent code blocks in these languages become one box with tabs."""

Link = Callable[[str], str | None]
"""A function that returns the site's URL for a link target, or None if the site has no such page."""

_FORMAT: Final = HtmlFormatter(nowrap=True)
_SLUG: Final = re.compile(r"[^\w\- ]")


@dataclass(slots=True)
class Rendered:
    """A rendered page as HTML, and the page's headings. A heading is a tuple (level, id, text)."""

    body: str = ""
    headings: list[tuple[int, str, str]] = field(default_factory=list)


def code(text: str, language: str) -> str:
    """Return highlighted code as HTML, in a box that the keyboard can scroll."""
    try:
        inside = highlight(text, get_lexer_by_name(language, stripnl=False), _FORMAT)
    except ClassNotFound:
        inside = html.escape(text)
    return f'<pre class="code" tabindex="0"><code>{inside}</code></pre>'


def tabs(blocks: Sequence[tuple[str, str]], name: str) -> str:
    """Return an HTML box with one tab per code block.

    A block is a pair (language, text). `name` must be unique on the page.
    """
    parts = []
    for number, (language, _) in enumerate(blocks):
        chosen = " checked" if number == 0 else ""
        parts.append(
            f'<input type="radio" name="{name}" id="{name}-{number}"{chosen}>'
            f'<label for="{name}-{number}">{html.escape(TABS[language])}</label>'
        )
    boxes = "".join(f'<div class="tab">{code(text, language)}</div>' for language, text in blocks)
    return f'<fieldset class="tabs"><legend class="unseen">Language</legend>{"".join(parts)}{boxes}</fieldset>'


class _Renderer(RendererHTML):
    """A renderer that puts each code block into a box, and each table into a region that can be scrolled."""

    def fence(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        """Return a code block as HTML. Adjacent blocks in different languages become one box with tabs."""
        token = tokens[idx]
        if "tabs" in token.meta:
            return tabs(token.meta["tabs"], f"tab{next(env['numbers'])}")
        return "" if "tabbed" in token.meta else code(token.content, token.info.strip() or "text")

    def table_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return f'<div class="table" tabindex="0" role="region" aria-label="Table {next(env["numbers"])}"><table>'

    def table_close(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return "</table></div>"


_MARKDOWN: Final = MarkdownIt("commonmark", renderer_cls=_Renderer).enable(["table", "strikethrough"])


def render(text: str, link: Link) -> Rendered:
    tokens = _MARKDOWN.parse(text)
    page = Rendered()
    used: set[str] = set()
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            said = "".join(part.content for part in tokens[at + 1].children or ())
            anchor = slug(said, used)
            token.attrSet("id", anchor)
            page.headings.append((int(token.tag[1]), anchor, said))
        elif token.type in {"th_open", "td_open"} and token.attrs.pop("style", None) == "text-align:right":
            token.attrSet("class", "number")  # the site's policy forbids inline styles
        elif token.type == "inline":
            token.children = _linked(token.children or [], link)
    _join(tokens)
    page.body = _MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {"numbers": count(1)})
    return page


def line(text: str, link: Link = lambda target: target) -> str:
    """Return one line of Markdown as HTML, without a paragraph element."""
    tokens = _MARKDOWN.parseInline(text)
    for token in tokens:
        token.children = _linked(token.children or [], link)
    html_line: str = _MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {"numbers": count(1)})
    return html_line


def slug(heading: str, used: set[str]) -> str:
    """Return a unique id for a heading, in GitHub's format. Add the id to the set `used`."""
    plain = _SLUG.sub("", heading.lower()).strip().replace(" ", "-")
    name = next(name for number in count() if (name := f"{plain}-{number}" if number else plain) not in used)
    used.add(name)
    return name


def _linked(parts: list[Token], link: Link) -> list[Token]:
    """Replace the link targets in a line by URLs of the site. If a link would be broken, it becomes plain text."""
    found, dead = [], False
    for part in parts:
        if part.type == "image":
            part.attrSet("src", link(str(part.attrGet("src"))) or "")
            part.attrSet("loading", "lazy")
        elif part.type == "link_open":
            target = link(str(part.attrGet("href")))
            if target is None:
                dead = True
                found.append(_html('<span class="elsewhere" title="in the repository">'))
                continue
            part.attrSet("href", target)
            if "://" in target:
                part.attrSet("rel", "noreferrer")
        elif part.type == "link_close" and dead:
            dead = False
            found.append(_html("</span>"))
            continue
        found.append(part)
    return found


def _html(text: str) -> Token:
    return Token("html_inline", "", 0, content=text)


def _join(tokens: list[Token]) -> None:
    at = 0
    while at < len(tokens):
        run = at
        while run < len(tokens) and tokens[run].type == "fence" and tokens[run].info.strip() in TABS:
            run += 1
        blocks = [(token.info.strip(), token.content) for token in tokens[at:run]]
        if len({language for language, _ in blocks}) == len(blocks) > 1:
            tokens[at].meta["tabs"] = blocks
            for token in tokens[at + 1 : run]:
                token.meta["tabbed"] = True
        at = max(run, at + 1)
