"""Allowed characters of a person's text that other people read, by their Unicode properties.

Refused are invisible characters, characters that reverse text, and characters without a meaning of their own (control,
private use, unassigned, noncharacters, surrogates). More marks on one letter than any language writes are refused, too.
Joiners, variation selectors and tags are invisible, but allowed where a script or an emoji needs them.
"""

from __future__ import annotations

import unicodedata
from typing import Final

import regex

MAX_MARKS: Final = 5
"""Marks on one letter; Hebrew with points and accents has three or four."""

_SEQUENCES: Final = regex.compile(
    r"""
    \N{WAVING BLACK FLAG} [\U000E0020-\U000E007E]+ \U000E007F   # flags of regions
    | [0-9\#*] \uFE0F \u20E3                                    # keycaps
    | \p{Emoji} [\uFE0E\uFE0F] (?: \u200D (?=\p{Emoji}) )?      # an emoji as text or as a picture, perhaps joined
    | \p{Emoji_Modifier} \u200D (?=\p{Emoji})                   # joined emoji
    | \p{Extended_Pictographic} \u200D (?=\p{Emoji})
    | (?<=\p{ccc=Virama}) [\u200C\u200D]                        # conjuncts of Indic scripts
    | (?<=\p{L}) [\u200C\u200D] (?=\p{ccc=Virama})
    | (?<=[\p{Joining_Type=D}\p{Joining_Type=R}\p{Joining_Type=L}] \p{M}*) [\u200C\u200D]
      (?=[\p{Joining_Type=D}\p{Joining_Type=R}\p{Joining_Type=L}])   # Arabic, Persian, Syriac, Mongolian
    | (?<=\p{Script=Mongolian}) [\u180B-\u180D\u180F]           # variants of Mongolian letters
    | (?<=\p{Script=Han}) [\uFE00-\uFE02\U000E0100-\U000E01EF]  # variants of ideographs
    """,
    regex.VERBOSE,
)

_REFUSED: Final = regex.compile(
    r"[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\uFFFC\uFFFD\U0001D159]"
    rf"|(?<=\p{{Mn}}{{{MAX_MARKS}}})\p{{Mn}}"
)
"""Characters without a property of their own: blanks among the symbols, and stand-ins for missing ones."""

_SEEN: Final = regex.compile(r"[\p{L}\p{N}\p{P}\p{S}]")


def refused_character(text: str) -> str | None:
    """Return the first character that a text for others must not have, or None."""
    if text.isascii() and text.isprintable():
        return None
    visible = _SEQUENCES.sub(lambda found: "." * len(found[0]), text)
    refused = _REFUSED.search(visible)
    return refused[0] if refused else None


def is_seen(text: str) -> bool:
    """Return whether a text begins with something that can be seen, and not with a mark for a letter before it."""
    return _SEEN.match(text) is not None


def character_name(character: str) -> str:
    """Return a character as people look it up: its code point, and its name in Unicode if it has one."""
    name = unicodedata.name(character, "")
    return f"U+{ord(character):04X}{f' {name}' if name else ''}"
