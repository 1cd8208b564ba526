"""Quick phrases of a table, as clients see them."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from service.contract.json_schemas import Answer, Time
from service.http.problems import TEXTS
from service.sessions.phrases import PHRASES
from service.store.clock import rfc3339
from service.store.phrases import Phrase
from service.store.sessions import coarse

PhraseId = Annotated[str, Meta(extra_json_schema={"enum": list(PHRASES)})]
PhraseText = Annotated[str, Meta(description="The phrase in the reader's language.")]


class PhraseOffered(msgspec.Struct, frozen=True, kw_only=True):
    """A phrase that a seat may send."""

    id: PhraseId
    text: PhraseText


class PhrasesOffered(Answer, frozen=True, kw_only=True):
    """All phrases."""

    phrases: list[PhraseOffered]


class PhraseSent(Answer, frozen=True, kw_only=True):
    """A phrase that a seat sent. The phrases of a session are numbered from 1."""

    number: Annotated[int, Meta(ge=1)]
    seat: Annotated[int, Meta(ge=0)]
    phrase: PhraseId
    text: PhraseText
    at: Time


class PhrasesSent(Answer, frozen=True, kw_only=True):
    """The last phrases of a session that reached the caller, oldest first."""

    phrases: list[PhraseSent]


class Mutes(Answer, frozen=True, kw_only=True):
    """The seats that a seat mutes."""

    seats: list[int]


def phrases_in(language: str) -> list[PhraseOffered]:
    """Return all phrases in a language."""
    return [PhraseOffered(id=name, text=text_of(name, language)) for name in PHRASES]


def text_of(name: str, language: str) -> str:
    return TEXTS.say(language, "phrases", name)


def serialize_phrase(sent: Phrase, shown_at: int, language: str) -> PhraseSent:
    """Build the response for a sent phrase, with the text of the phrase in a language.

    `shown_at` is the time at which the seat sent the phrase. The response shows this time, rounded down to a tenth of a
    second.
    """
    text, at = text_of(sent.phrase, language), rfc3339(coarse(shown_at))
    return PhraseSent(number=sent.number, seat=sent.seat, phrase=sent.phrase, text=text, at=at)
