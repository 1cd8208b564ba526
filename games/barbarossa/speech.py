"""The game's sentences: riddles are called by their maker and counted from 1, and signs and places read as words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import msgspec

from games.barbarossa.moves import GiveLetter, ModelRiddles, Place, SpendStones, place_number
from games.barbarossa.table.constants import CAVES, SPEARS, THREE
from games.barbarossa.table.lexicon import MAX_LETTERS, letter_named, own_letter, spelled
from games.barbarossa.terms.catalogue import ATTRIBUTES, TERM_NUMBERS, TERMS
from games.barbarossa.view import WizardView
from games.core.game import Event, Move
from games.core.grammar import elided, ordinal, possessive
from games.core.texts import LANGUAGES, Name, Texts

LABELS: Final = 2**13
"""Sentences that are kept."""


def spoken_texts() -> Texts:
    """Read the texts, and add what terms, questions and places of letters are called in each language."""
    texts = Texts("games.barbarossa")
    for language, section in texts.sections.items():
        words: dict[str, str] = section["words"]
        words |= {f"{term.id}:term": term.name(language) for term in TERMS}
        words |= {f"{attribute.id}:question": attribute.question[language] for attribute in ATTRIBUTES}
        for place in range(1, MAX_LETTERS + 1):
            named = {"place": place, "ordinal": ordinal(place), "la": elided("la", place)}
            words[f"{place}:counted"] = words["front:counted"].format(**named)
            words.setdefault(f"-{place}:counted", words["back:counted"].format(**named))
    return texts


def riddle_called(texts: Texts, language: str, names: Sequence[str], riddle: int) -> str:
    """Return the name of a riddle at a table with these players: by its maker, and counted from 1."""
    each = riddles_each(len(names))
    place = riddle % each + 1
    maker = Name(possessive(names[riddle // each], language))
    return texts.say(language, "picture", "called", maker=maker, place=place, ordinal=ordinal(place))


@lru_cache(LABELS)
def _riddle_called(texts: Texts, language: str, names: tuple[str, ...], riddle: int) -> str:
    return riddle_called(texts, language, names, riddle)


def riddle_named(texts: Texts, language: str, view: WizardView, riddle: int) -> str:
    """Return the name of a riddle in a picture, at the beginning of a line."""
    said = riddle_called(texts, language, texts.seats(language, view.seats), riddle)
    return said[:1].upper() + said[1:]


def riddles_each(seats: int) -> int:
    """Return the number of riddles of a player (BR-12)."""
    return 3 if seats == THREE else 2


def signed(number: int) -> str:
    """Write a number with a true minus."""
    return str(number).replace("-", "−")  # noqa: RUF001 -- a true minus


def label(move: Move, language: str, view: WizardView, names: Sequence[str], texts: Texts) -> str:
    """Return a sentence for a move, as the viewer sees it; of modelling, with the terms."""
    if isinstance(move, ModelRiddles):
        return texts.say(language, "moves", "model_riddles", terms=[sketch.term for sketch in move.riddles])
    if isinstance(move, SpendStones) and view.seat is not None:
        cave = view.options.ring[(view.wizards[view.seat].cave + move.stones) % CAVES]
        return texts.say(language, "moves", "spend_stones", stones=move.stones, cave=cave)
    if isinstance(move, GiveLetter) and view.pending is not None:
        letter = letter_of(view, view.pending.riddle, move.place)
        return texts.say(language, "moves", "give_letter", place=move.place, letter=letter)
    return _sentence_of(texts, move, language, tuple(names))


def letter_of(view: WizardView, riddle: int, place: Place) -> str | None:
    """Return a letter of a riddle whose term a view holds, None if it does not."""
    term = view.riddles[riddle].term
    if term is None:
        return None
    number = place_number(place)
    if term in TERM_NUMBERS:
        return letter_named(spelled(LANGUAGES.index(view.options.language), TERM_NUMBERS[term], number))
    return letter_named(own_letter(term, number))


@lru_cache(LABELS)
def _sentence_of(texts: Texts, move: Move, language: str, names: tuple[str, ...]) -> str:
    return say(texts, "moves", move, language, names)


def control(key: str, move: Move, language: str, _view: WizardView, names: Sequence[str], texts: Texts) -> str:
    """Return a sentence for a group of moves, of which one is given."""
    return say(texts, "controls", move, language, names, key)


def tell(event: Event, language: str, names: Sequence[str], texts: Texts) -> str:
    """Return a sentence for an event."""
    return say(texts, "events", event, language, names)


def say(
    texts: Texts, section: str, told: msgspec.Struct, language: str, names: Sequence[str], key: str | None = None
) -> str:
    """Fill the template of a move or an event from its fields, as people say them; `key` is its kind by itself."""
    params: dict[str, Any] = msgspec.structs.asdict(told)
    if "riddle" in params:
        riddle: int = params["riddle"]
        each = riddles_each(len(names))
        params["modeller"] = riddle // each
        params["own"] = True if params.get("seat") == params["modeller"] else None
        params["place_called"] = riddle % each + 1
        params["place_ordinal"] = ordinal(riddle % each + 1)
        params["riddle"] = _riddle_called(texts, language, tuple(names), riddle)
    if "seat" in params:
        params["whose"] = Name(possessive(names[params["seat"]], language))
    if "steps" in params:
        params["back"] = params["steps"] < 0
        params["steps"] = abs(params["steps"])
    if "hat" in params:
        params["hat"] = signed(params["hat"])
    if "words" in params:
        params["word"] = params["words"] or (params["term"] and TERMS[TERM_NUMBERS[params["term"]]].name(language))
    return texts.say(language, section, key or str(told.__struct_config__.tag), names, **params)


def say_fact(code: str, params: dict[str, Any], language: str, names: Sequence[str], texts: Texts) -> str:
    """Return a clause about a riddle."""
    called = _riddle_called(texts, language, tuple(names), params["riddle"])
    return texts.say(language, "facts", code, names, **params | {"riddle": called})


def headline(view: WizardView, language: str, texts: Texts, section: str = "headline") -> str:
    """Return the seats to decide (BR-20, BR-26, BR-29, BR-49), or the result of the game (BR-59, BR-63, BR-D45)."""
    names = texts.seats(language, view.seats)
    if view.phase == "over":
        return texts.say(language, "headline", end_of(view), winners=[names[seat] for seat in view.winners])
    seat = view.turn if view.pending is None else view.riddles[view.pending.riddle].modeller
    return texts.say(language, section, view.phase, name=names[seat])


def prompt(view: WizardView, language: str, texts: Texts) -> str:
    """Return an imperative for the seat that has to decide; the game is not over."""
    return headline(view, language, texts, "prompt")


def end_of(view: WizardView) -> str:
    """Return the cause of the end of a finished game: goal, spears or cap."""
    if any(wizard.hat >= view.options.goal for wizard in view.wizards):
        return "goal"
    return "spears" if view.spears == SPEARS else "cap"
