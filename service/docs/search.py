"""Search in all pages by SQLite's full-text index, kept in memory and made at the first question."""

from __future__ import annotations

import html
import re
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from threading import Lock
from typing import Final
from weakref import finalize

from markupsafe import Markup

MOST_WORDS: Final = 8
LONGEST_QUESTION: Final = 200
MOST_FOUND: Final = 40
_WORD: Final = re.compile(r"\w+")
_OPEN, _CLOSE = "\x02", "\x03"


@dataclass(frozen=True, slots=True)
class Findable:
    """Something that can be found: a kind for people, a title, its text, and its address."""

    kind: str
    title: str
    text: str
    address: str


@dataclass(frozen=True, slots=True)
class Hit:
    """Something found; `excerpt` has the words marked."""

    kind: str
    title: str
    excerpt: Markup
    address: str


class Index:
    """The index of a site."""

    def __init__(self, entries: Iterable[Findable]) -> None:
        """Take all that can be found."""
        self._lock = Lock()
        self._base = sqlite3.connect(":memory:", check_same_thread=False)
        finalize(self, self._base.close)
        self._base.execute(
            "CREATE VIRTUAL TABLE entries USING fts5(title, text, kind UNINDEXED, address UNINDEXED, "
            "tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3')"
        )
        rows = ((entry.title, entry.text, entry.kind, entry.address) for entry in entries)
        self._base.executemany("INSERT INTO entries VALUES (?, ?, ?, ?)", rows)

    def find(self, question: str) -> list[Hit]:
        """Return what has all words of a question, as beginnings of words, or else any of them; the best first."""
        words = [f'"{word}"*' for word in _WORD.findall(question[:LONGEST_QUESTION])[:MOST_WORDS]]
        if not words:
            return []
        return self._ask(" AND ".join(words)) or (self._ask(" OR ".join(words)) if len(words) > 1 else [])

    def _ask(self, match: str) -> list[Hit]:
        with self._lock:
            rows = self._base.execute(
                "SELECT kind, title, snippet(entries, 1, ?, ?, '…', 24), address FROM entries "
                "WHERE entries MATCH ? ORDER BY bm25(entries, 6.0, 1.0), rowid LIMIT ?",
                (_OPEN, _CLOSE, match, MOST_FOUND),
            ).fetchall()
        return [Hit(kind, title, _marked(excerpt), address) for kind, title, excerpt, address in rows]


def _marked(excerpt: str) -> Markup:
    shown = html.escape(excerpt).replace(_OPEN, "<mark>").replace(_CLOSE, "</mark>")
    return Markup(shown)  # noqa: S704 -- all else is escaped
