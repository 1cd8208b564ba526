"""Names that other people see. They are normalised and have only visible characters.

No two names at a table look alike.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

import regex

from games.core.legible import character_name, is_seen, refused_character
from service.validation.faults import Fault
from service.validation.structs import UnfitError

NAME_CHARACTERS: Final = 40
"""Maximum length of a player's name in characters."""

_GAPS: Final = regex.compile(r"[\p{Zs}\t]+")
_GRAPHEMES: Final = regex.compile(r"\X")
_IGNORED: Final = regex.compile(r"\p{Default_Ignorable_Code_Point}")


def read_name(text: str) -> str:
    """Return a name in Unicode NFC, without surrounding or double spaces.

    Raise UnfitError if the name is invalid. The error names the first invalid character, if any.
    """
    name: str = _GAPS.sub(" ", unicodedata.normalize("NFC", text)).strip(" ")
    refused = refused_character(name)
    if refused is not None:
        raise UnfitError(Fault("", "name-character", {"character": character_name(refused)}))
    if not is_seen(name):
        raise UnfitError(Fault("", "name-blank"))
    return name


def distinct(name: str, others: Iterable[str | None]) -> str:
    """Return a name that looks different from all names in `others`.

    If `name` looks like one of them, append a number.
    """
    taken = {skeleton(other) for other in others if other is not None}
    found, number = name, 1
    while skeleton(found) in taken:
        number += 1
        found = _numbered(name, number)
    return found


@lru_cache(1_024)
def distinct_names(names: tuple[str | None, ...]) -> tuple[str | None, ...]:
    """Return the names of a table's seats. If two names look alike, a number is appended to the second one.

    Missing names stay None.
    """
    found: list[str | None] = []
    for name in names:
        found.append(None if name is None else distinct(name, found))
    return tuple(found)


@lru_cache(1_024)
def filled_names(names: tuple[str | None, ...], usual: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of a table's seats. A seat without a name gets its default name from `usual`.

    If the names of two seats look alike, a number is appended to one of the names.
    """
    found = list(distinct_names(names))
    for number, name in enumerate(found):
        found[number] = distinct(usual[number], found) if name is None else name
    return tuple(name or "" for name in found)


@lru_cache(4_096)
def skeleton(name: str) -> str:
    """Return the skeleton of a name. Names that look alike have the same skeleton (Unicode UTS #39, section 4)."""
    plain = _IGNORED.sub("", unicodedata.normalize("NFD", name))
    looks = "".join(map(_look, plain))
    spaced: str = _GAPS.sub(" ", unicodedata.normalize("NFD", looks))
    return spaced.strip(" ")


@lru_cache(16_384)
def _look(character: str) -> str:
    looks = character
    while len(looks) == 1 and (prototype := _prototype(looks)) != looks:
        looks = prototype
    return looks


def _prototype(character: str) -> str:
    """Return the text that replaces `character` in the skeleton of a name. The text looks like `character`.

    `_look` calls this function repeatedly, because a replacement may have a replacement itself.
    """
    from confusable_homoglyphs import confusables  # noqa: PLC0415 -- it reads a megabyte

    found = _homoglyphs(confusables.is_confusable(character, greedy=True))
    if len(found) != 1:
        return character
    (look,) = found
    if len(look) > 1:
        return look
    back = _homoglyphs(confusables.is_confusable(look, greedy=True))
    # Two characters that are look-alikes of each other get the smaller one.
    return min(character, look) if len(back) == 1 else look


def _homoglyphs(found: object) -> list[str]:
    if not isinstance(found, list):
        return []
    return [each["c"].strip("\u200e") for each in found[0]["homoglyphs"]]


def _numbered(name: str, number: int) -> str:
    suffix = f" {number}"
    parts = _GRAPHEMES.findall(name)
    while parts and len("".join(parts)) + len(suffix) > NAME_CHARACTERS:
        parts.pop()
    return "".join(parts).rstrip() + suffix
