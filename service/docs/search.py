"""Full-text search over all pages. It uses an SQLite index in memory, which is built on the first query."""

from __future__ import annotations

import html
import re
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Final
from weakref import finalize

from markupsafe import Markup

MAX_WORDS: Final = 8
MAX_QUERY_CHARACTERS: Final = 200
MAX_HITS: Final = 40
MIN_CORRECTED_CHARACTERS: Final = 4

DECISION: Final = "Decision"
KIND_RANKS: Final[Mapping[str, int]] = {"Operation": 0, "Guide": 0, "Rule": 0, "Problem": 1, "Schema": 1, DECISION: 2}
"""Position of each kind of page in the search results, lowest first."""

_WORD: Final = re.compile(r"\w+")
_OPEN, _CLOSE = "\x02", "\x03"


@dataclass(frozen=True, slots=True)
class Findable:
    """An entry of the search index. A query for one of its `keywords` returns it first."""

    kind: str
    title: str
    text: str
    address: str
    keywords: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """A search result. In `excerpt`, the matching words are marked."""

    kind: str
    title: str
    excerpt: Markup
    address: str


class Index:
    """The search index of a site."""

    def __init__(self, entries: Iterable[Findable]) -> None:
        self._lock = Lock()
        self._base = sqlite3.connect(":memory:", check_same_thread=False)
        finalize(self, self._base.close)
        self._base.execute(
            "CREATE VIRTUAL TABLE entries USING fts5(title, text, keywords, kind UNINDEXED, address UNINDEXED, "
            "place UNINDEXED, tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3')"
        )
        self._base.execute("CREATE VIRTUAL TABLE terms USING fts5vocab(entries, row)")
        rows = (
            (entry.title, entry.text, entry.keywords, entry.kind, entry.address, KIND_RANKS[entry.kind])
            for entry in entries
        )
        self._base.executemany("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?)", rows)

    def find(self, query: str) -> list[Hit]:
        """Return the results for a query, best first. A word of the query also matches longer words that start with it.

        Misspelt words are corrected. If no entry matches all words, return the entries that match at least one word.
        """
        query = query[:MAX_QUERY_CHARACTERS].strip()
        words = [self._corrected(word) for word in _WORD.findall(query)[:MAX_WORDS]]
        if not words:
            return []
        prefixes = [f'"{word}"*' for word in words]
        hits = self._select(" AND ".join(prefixes), query)
        if not hits and len(words) > 1:
            hits = self._select(" OR ".join(prefixes), query)
        by_keyword = self._select("keywords : ({})".format(" AND ".join(f'"{word}"' for word in words)), query)
        return list({hit.address: hit for hit in [*by_keyword, *hits]}.values())[:MAX_HITS]

    def _select(self, match: str, query: str) -> list[Hit]:
        with self._lock:
            rows = self._base.execute(
                "SELECT kind, title, snippet(entries, 1, ?, ?, '…', 24), address FROM entries WHERE entries MATCH ? "
                "ORDER BY substr(address, -length(?) - 1) IN ('/' || ?, '#' || ?) DESC, place, "
                "bm25(entries, 6.0, 1.0, 6.0), rowid LIMIT ?",
                (_OPEN, _CLOSE, match, query, query, query, MAX_HITS),
            ).fetchall()
        return [Hit(kind, title, _marked(excerpt), address) for kind, title, excerpt, address in rows]

    def _corrected(self, word: str) -> str:
        if len(word) < MIN_CORRECTED_CHARACTERS:
            return word
        with self._lock:
            found = self._base.execute("SELECT 1 FROM entries WHERE entries MATCH ? LIMIT 1", (f'"{word}"*',))
            if found.fetchone():
                return word
        return next((term for term in self._terms if is_one_edit(word.lower(), term)), word)

    @cached_property
    def _terms(self) -> list[str]:
        """The words of all entries, most frequent first, because spelling corrections prefer frequent words."""
        with self._lock:
            return [term for (term,) in self._base.execute("SELECT term FROM terms ORDER BY doc DESC, term")]


def is_one_edit(word: str, other: str) -> bool:
    """Return whether two words differ by one insertion, deletion, substitution, or swap of adjacent letters."""
    if word == other or abs(len(word) - len(other)) > 1:
        return False
    start = next((at for at, pair in enumerate(zip(word, other, strict=False)) if pair[0] != pair[1]), None)
    if start is None:
        return True
    rest, others = word[start:], other[start:]
    swapped = rest[1:2] + rest[:1] + rest[2:]
    return others in {rest[1:], swapped} or rest == others[1:] or rest[1:] == others[1:]


def _marked(excerpt: str) -> Markup:
    shown = html.escape(excerpt).replace(_OPEN, "<mark>").replace(_CLOSE, "</mark>")
    return Markup(shown)  # noqa: S704 -- all else is escaped
