"""A game's sentences in German, English and Italian, kept as templates in `texts/<language>.json`.

A template is a Python format string over named parameters. The text after a parameter's colon determines its form:

* `{card}`: strings as the section `words` translates them, numbers as the language writes them, lists joined, None as
  the word "none";
* `{colour:en}`: the form of the word that stands in `words` under `white:en`, if there is one (also `31:card`);
* `{seat:name}`: the name of the seat with this number, or of several;
* `{seat:ad}`, `{seat:ed}`: the name after an Italian "a" or "e", which take a d before their own vowel: "ad Anna";
* `{count:one card|{count} cards}`: the left text for 1 or a list of one, else the right one;
* `{origin:? from {origin}}` or `{card:?{card}|a card}`: the left text where the parameter is not None, nor a list of
  nothing, else the right.

Texts after a colon may hold parameters with forms, one level deep.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from string import Formatter
from typing import Any, Final

import msgspec

from games.core.grammar import euphonic
from games.core.legible import refused_character

LANGUAGES: Final = ("en", "de", "it")
"""The first is the default."""

_SIGNS: Final = {
    "en": str.maketrans("-", "\N{MINUS SIGN}"),
    "de": str.maketrans("-,", "\N{MINUS SIGN}."),
    "it": str.maketrans("-,", "\N{MINUS SIGN}."),
}

_HIDDEN: Final = str.maketrans("|?", "\ue07c\ue03f")
_SHOWN: Final = str.maketrans("\ue07c\ue03f", "|?")
"""Other signs stand for those of templates in names while a template is filled."""


def hides(words: str) -> bool:
    """Return whether words have a character in them that a text for others must not have."""
    return refused_character(words) is not None


MAX_CACHED_TEMPLATES: Final = 8_192
"""Number of cached templates."""

MAX_CACHED_SENTENCES: Final = 4_096
"""Number of cached sentences of a game. All viewers of a table, and its next readers, get the same ones."""

Part = tuple[str, "str | None", str, "tuple[Part, ...] | None"]
"""A text, the parameter behind it if any, the form in which that reads, and the parts of that form if it has some."""

_EUPHONIC: Final = {"ad": "a", "ed": "e"}
"""Forms in which an Italian word of one vowel stands before a name."""


def written(value: int, language: str) -> str:
    """Return a number as a language writes it: thousands set apart, and a minus sign."""
    return f"{value:,}".translate(_SIGNS[language])


class Name(str):
    """A player's name: the one string without a language."""

    __slots__ = ()


class Reader:
    """Reads parameters in a language, with its words and the names of the seats.

    If it `hides`, other characters stand for `|` and `?` in names and texts.
    """

    __slots__ = ("hides", "language", "names", "words")

    def __init__(self, words: Mapping[str, str], names: Sequence[str], language: str, *, hides: bool = False) -> None:
        """Take the words of the language, the seats' names, and the language."""
        self.words, self.names, self.language, self.hides = words, names, language, hides

    def fill(self, parts: Sequence[Part], params: Mapping[str, object]) -> str:
        """Fill a template; raise KeyError if a parameter is missing."""
        found: list[str] = []
        for literal, name, form, inner in parts:
            found.append(literal)
            if name is not None:
                found.append(self.say(params[name], form if inner is None else self._hiding().fill(inner, params)))
        return "".join(found)

    def say(self, value: object, form: str) -> str:
        """Return a value in the form that the template asks for."""
        if form.startswith("?"):
            present, _, absent = form[1:].partition("|")
            return absent if value is None or value == [] else present
        if "|" in form:
            one, _, many = form.partition("|")
            return one if value == 1 or (isinstance(value, list) and len(value) == 1) else many
        return self._read(value, form)

    def _read(self, value: object, form: str) -> str:
        """Return a value as it reads, a list with the word "and" before its last item."""
        words = self.words
        if isinstance(value, list | tuple):
            items = [self._read(item, form) for item in value]
            head = ", ".join(items[:-1])
            if head and self.language == "it":
                return f"{head} {euphonic(words['and'], items[-1])}"
            return f"{head} {words['and']} {items[-1]}" if head else "".join(items) or words["none"]
        if form in _EUPHONIC:
            return euphonic(_EUPHONIC[form], self._read(value, "name"))
        if form == "name" and isinstance(value, int):
            return self._hidden(self.names[value])
        if isinstance(value, Name):
            return self._hidden(str(value))
        plain = words["none"] if value is None else str(value)
        found = words.get(f"{plain}:{form}", words.get(plain))
        if found is not None:
            return found
        return written(value, self.language) if type(value) is int else self._hidden(plain)

    def _hiding(self) -> Reader:
        return self if self.hides else Reader(self.words, self.names, self.language, hides=True)

    def _hidden(self, text: str) -> str:
        return text.translate(_HIDDEN) if self.hides else text


@lru_cache(MAX_CACHED_TEMPLATES)
def parts_of(template: str) -> tuple[Part, ...]:
    """Return a template as its parts."""
    return tuple(
        (literal, name, form or "", parts_of(form) if form and "{" in form else None)
        for literal, name, form, _ in Formatter().parse(template)
    )


def filled(
    template: str, params: Mapping[str, object], words: Mapping[str, str], names: Sequence[str], language: str
) -> str:
    """Fill a template; raise KeyError if a parameter is missing."""
    said = Reader(words, names, language).fill(parts_of(template), params)
    return said if said.isascii() else said.translate(_SHOWN)


class Texts:
    """A game's templates by section and key."""

    def __init__(self, package: str) -> None:
        """Read the texts that lie beside a game's package."""
        folder = files(package) / "texts"
        self.sections: dict[str, dict[str, Any]] = {
            language: json.loads((folder / f"{language}.json").read_text("utf-8")) for language in LANGUAGES
        }
        self._names: Sequence[str] | None = None
        self._said = dict[tuple[Any, ...], str]()

    def with_names(self, names: Sequence[str] | None) -> Texts:
        """Return the same texts for a table at which the seats are called this; None leaves them as they are."""
        if names is None:
            return self
        named = Texts.__new__(Texts)
        named.sections, named._names, named._said = self.sections, names, self._said  # noqa: SLF001 -- a copy of our own
        return named

    def named(self, language: str, number: int, seats: Iterable[int]) -> bool:
        """Return whether some of these seats have other names than the default names for this number of seats."""
        usual = self.sections[language]["seats"][str(number)]
        return self._names is not None and any(self._names[seat] != usual[seat] for seat in seats)

    def say(self, language: str, section: str, key: str, /, names: Sequence[str] = (), **params: object) -> str:
        """Fill one template; raise KeyError for a sentence that nobody has written."""
        values = tuple(params.values())
        asked = language, section, key, tuple(names), tuple(params), tuple(map(type, values)), values
        try:
            found = self._said.get(asked)
        except TypeError:  # a list, which is mutable
            return self._fill(language, section, key, names, params)
        if found is None:
            if len(self._said) >= MAX_CACHED_SENTENCES:
                self._said.clear()
            found = self._said[asked] = self._fill(language, section, key, names, params)
        return found

    def _fill(self, language: str, section: str, key: str, names: Sequence[str], params: Mapping[str, object]) -> str:
        words: dict[str, str] = self.sections[language]["words"]
        template: str = self.sections[language][section][key]
        return filled(template, params, words, names, language)

    def tell(self, language: str, section: str, struct: msgspec.Struct, names: Sequence[str] = ()) -> str:
        """Fill the template of a tagged struct from its fields; `names` are those of the seats."""
        return self.say(language, section, str(struct.__struct_config__.tag), names, **msgspec.structs.asdict(struct))

    def seats(self, language: str, number: int) -> list[str]:
        """Return the names of a table's seats: the players' names, or else those of the game."""
        if self._names is not None:
            return [Name(name) for name in self._names]
        named: list[str] = self.sections[language]["seats"][str(number)]
        return named
