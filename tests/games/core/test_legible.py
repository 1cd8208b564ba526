"""Allowed characters of a text for others, over all code points, and their form in XML."""

import unicodedata
import xml.etree.ElementTree as ET

import pytest
import regex

from games.core.legible import character_name, refused_character
from games.core.svg import document, element, escape, text, title

CODE_POINTS = range(0x110000)

TAKEN = {
    "a family": "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "a heart on fire": "\u2764\ufe0f\u200d\U0001f525",
    "a skin tone": "\U0001f469\U0001f3fd\u200d\U0001f680",
    "a rainbow flag": "\U0001f3f3\ufe0f\u200d\U0001f308",
    "England": "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "a keycap": "1\ufe0f\u20e3",
    "an emoji of a later Unicode than Python's": "\U0001fae8",
    "Persian": "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "Persian after a letter that joins one side": "\u06a9\u0627\u0631\u200c\u0647\u0627",
    "Hindi": "\u0915\u094d\u200d\u0937",
    "Sinhala": "\u0d9a\u0dca\u200d\u0dbb",
    "Bengali": "\u09b0\u200c\u09cd\u09af",
    "Malayalam, at the end": "\u0d15\u0d4d\u200d",
    "Mongolian": "\u1820\u180b",
    "a variant of an ideograph": "\u845b\U000e0100",
    "Hebrew with points": "\u05d9\u05b4\u05e9\u05b0\u05c2\u05e8\u05b8\u05d0\u05b5\u05dc",
    "Hebrew with three points, an accent and a meteg": "\u05e9\u05c1\u05bc\u05b8\u05a3\u05bd\u05de",
    "Arabic with marks": "\u0645\u064f\u062d\u064e\u0645\u064e\u0651\u062f",
}

REFUSED = {
    "a filler": ("\u3164", "\u3164"),
    "a joiner between Latin letters": ("a\u200db", "\u200d"),
    "a non-joiner at the beginning": ("\u200c\u0627", "\u200c"),
    "tags without a flag": ("a\U000e0067\U000e007f", "\U000e0067"),
    "a variation selector on a letter": ("a\ufe0f", "\ufe0f"),
    "an override": ("a\u202eb", "\u202e"),
    "an isolate": ("\u2067a", "\u2067"),
    "a soft hyphen": ("a\u00adb", "\u00ad"),
    "a noncharacter": ("B\uffff", "\uffff"),
    "another": ("\ufdd0", "\ufdd0"),
    "private use": ("\ue000", "\ue000"),
    "unassigned": ("\u0378", "\u0378"),
    "a lone surrogate": ("a\ud800", "\ud800"),
    "a blank of Braille": ("\u2800", "\u2800"),
    "a pile of marks": ("a" + "\u0302" * 6, "\u0302"),
}


@pytest.mark.parametrize("words", TAKEN.values(), ids=TAKEN)
def test_joiners_and_selectors_stand_where_scripts_and_emoji_need_them(words: str) -> None:
    assert refused_character(words) is None


@pytest.mark.parametrize(("words", "character"), REFUSED.values(), ids=REFUSED)
def test_invisible_and_meaningless_characters_are_refused(words: str, character: str) -> None:
    assert refused_character(words) == character
    assert character_name(character).startswith(f"U+{ord(character):04X}")


def test_of_all_code_points_those_are_taken_that_have_a_meaning_and_are_seen() -> None:
    taken = {character for character in map(chr, CODE_POINTS) if refused_character(f"x{character}y") is None}
    kinds = {unicodedata.category(character) for character in taken} - {"Cn"}  # assigned after Python's own tables
    assert kinds == {"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No"} | {
        *("Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Sm", "Sc", "Sk", "So", "Zs")
    }
    hidden = regex.compile(r"[\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\p{Bidi_Control}\p{C}]")
    assert not [character for character in taken if hidden.match(character)]
    assert len(taken) > 140_000


def test_every_code_point_leaves_a_picture_well_formed() -> None:
    for start in CODE_POINTS[::0x1000]:
        words = "".join(map(chr, CODE_POINTS[start : start + 0x1000]))
        picture = document(9, 9, title(words), text(words, 0, 0, words), element("g", escape(words), id=words))
        root = ET.fromstring(picture.encode())  # noqa: S314 -- our own
        assert [child.tag.rpartition("}")[2] for child in root] == ["title", "text", "g"]
        assert not regex.search(r"[\p{Bidi_Control}--[\u200e\u200f\u061c]]|[\x7f-\x9f]", picture, regex.V1)


def test_a_forbidden_character_is_replaced_and_the_others_stay() -> None:
    assert escape("B\uffff\x00\ud800<ü😀") == "B\ufffd\ufffd\ufffd&lt;ü😀"
