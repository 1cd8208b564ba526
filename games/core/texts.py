"""A game's sentences in German, English and Italian, kept as templates in `texts/<language>.json`.

A template is a Python format string over named parameters, and what stands after a parameter's colon says how it reads:

* `{card}`: strings as the section `words` translates them, numbers as the language writes them, lists joined, None as
  the word "none";
* `{colour:en}`: the form of the word that stands in `words` under `white:en`, where there is one (also `31:card`);
* `{seat:name}`: the name of the seat with this number, or of several;
* `{seat:ad}`, `{seat:ed}`: the name after an Italian "a" or "e", which take a d before their own vowel: "ad Anna";
* `{count:one card|{count} cards}`: the left text for 1 or a list of one, else the right one;
* `{origin:? from {origin}}` or `{card:?{card}|a card}`: the left text where the parameter is not None, nor a list of
  nothing, else the right.

Texts after a colon may hold parameters with forms, one level deep.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any, Final

import msgspec

LANGUAGES: Final = ("en", "de", "it")
"""The first is what a reader gets who asks for none of them."""

HIDDEN_CHARACTERS: Final = r"\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff"
"""Ranges, as a regular expression has them, of what nobody sees in a text or what turns it around."""

_HIDING: Final = re.compile(f"[{HIDDEN_CHARACTERS}]")

_SIGNS: Final = {
    "en": str.maketrans("-", "\N{MINUS SIGN}"),
    "de": str.maketrans("-,", "\N{MINUS SIGN}."),
    "it": str.maketrans("-,", "\N{MINUS SIGN}."),
}

_HIDDEN: Final = str.maketrans("|?", "\ue07c\ue03f")
_SHOWN: Final = str.maketrans("\ue07c\ue03f", "|?")
"""Signs of the templates that stand in names are others while a template is filled."""


def hides(words: str) -> bool:
    """Tell whether words have something in them that nobody sees, or that turns them around."""
    return _HIDING.search(words) is not None


_EUPHONIC: Final = {"ad": "a", "ed": "e"}
"""Forms in which an Italian word of one vowel stands before a name."""


def euphonic(word: str, following: str) -> str:
    """Return an Italian "a" or "e" and what follows it; before its own vowel the word takes a d."""
    vowel = unicodedata.normalize("NFD", following[:1]).lower()[:1]
    return f"{word}d {following}" if vowel == word else f"{word} {following}"


def written(value: int, language: str) -> str:
    """Return a number as a language writes it: thousands set apart, and a minus sign."""
    return f"{value:,}".translate(_SIGNS[language])


class Name(str):
    """What a player is called: the one string that is in no language."""

    __slots__ = ()


class Phrase:
    """A parameter of a template, as it reads in a language."""

    __slots__ = ("language", "names", "value", "words")

    def __init__(self, value: object, words: Mapping[str, str], names: Sequence[str], language: str) -> None:
        """Take the value, the words of the language, the seats' names, and the language."""
        self.language = language
        self.value = value
        self.words = words
        self.names = names

    def __format__(self, spec: str) -> str:
        """Return the value in the form that the template asks for."""
        if spec.startswith("?"):
            present, _, absent = spec[1:].partition("|")
            return absent if self.value is None or self.value == [] else present
        one, alternative, many = spec.partition("|")
        if alternative:
            return one if self.value == 1 or (isinstance(self.value, list) and len(self.value) == 1) else many
        return self._read(self.value, spec)

    def _read(self, value: object, form: str) -> str:
        """Return a value as it reads, a list with the word "and" before its last item."""
        if isinstance(value, list | tuple):
            items = [self._read(item, form) for item in value]
            head = ", ".join(items[:-1])
            if head and self.language == "it":
                return f"{head} {euphonic(self.words['and'], items[-1])}"
            return f"{head} {self.words['and']} {items[-1]}" if head else "".join(items) or self.words["none"]
        if form in _EUPHONIC:
            return euphonic(_EUPHONIC[form], self._read(value, "name"))
        if form == "name" and isinstance(value, int):
            return self.names[value].translate(_HIDDEN)
        if isinstance(value, Name):
            return str(value).translate(_HIDDEN)
        plain = self.words["none"] if value is None else str(value)
        otherwise = written(value, self.language) if type(value) is int else plain.translate(_HIDDEN)
        return self.words.get(f"{plain}:{form}", self.words.get(plain, otherwise))


def filled(
    template: str, params: Mapping[str, object], words: Mapping[str, str], names: Sequence[str], language: str
) -> str:
    """Fill a template; raise KeyError where a parameter is missing."""
    phrases = {name: Phrase(value, words, names, language) for name, value in params.items()}
    return template.format_map(phrases).translate(_SHOWN)


class Texts:
    """A game's templates by section and key."""

    def __init__(self, package: str) -> None:
        """Read the texts that lie beside a game's package."""
        folder = files(package) / "texts"
        self.sections: dict[str, dict[str, Any]] = {
            language: json.loads((folder / f"{language}.json").read_text("utf-8")) for language in LANGUAGES
        }
        self._names: Sequence[str] | None = None

    def with_names(self, names: Sequence[str] | None) -> Texts:
        """Return the same texts for a table at which the seats are called this; None leaves them as they are."""
        if names is None:
            return self
        named = Texts.__new__(Texts)
        named.sections, named._names = self.sections, names  # noqa: SLF001 -- a copy of our own
        return named

    def named(self, language: str, number: int) -> bool:
        """Tell whether a seat of a table of so many is called otherwise than the game calls it."""
        return self._names is not None and list(self._names) != self.sections[language]["seats"][str(number)]

    def say(self, language: str, section: str, key: str, /, names: Sequence[str] = (), **params: object) -> str:
        """Fill one template; raise KeyError for a sentence that nobody has written."""
        words: dict[str, str] = self.sections[language]["words"]
        template: str = self.sections[language][section][key]
        return filled(template, params, words, names, language)

    def tell(self, language: str, section: str, struct: msgspec.Struct, names: Sequence[str] = ()) -> str:
        """Fill the template of a tagged struct from its fields; `names` are those of the seats."""
        return self.say(language, section, str(struct.__struct_config__.tag), names, **msgspec.structs.asdict(struct))

    def seats(self, language: str, number: int) -> list[str]:
        """Return what the seats of a table are called: as the players are, or else as the game calls them."""
        if self._names is not None:
            return [Name(name) for name in self._names]
        named: list[str] = self.sections[language]["seats"][str(number)]
        return named
