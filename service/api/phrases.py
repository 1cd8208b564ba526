"""The fixed list of quick phrases, the phrases of a session, and the seats that a seat mutes."""

from __future__ import annotations

from typing import Any

from flask import Response

from service.api.auth import (
    allow_founder,
    allow_seat,
    audience_of,
    check_own_seat,
    require,
    revalidate_etag,
    seat_token,
)
from service.api.session_replies import private
from service.http.blueprint import IF_NONE_MATCH, Blueprint, answer
from service.http.context import current_context
from service.http.fields import Body, Choice, Rows, Whole
from service.http.idempotency import Act, idempotent
from service.http.problems import Problem
from service.http.request_context import language
from service.sessions import phrases
from service.snapshots.records import MAX_SEATS
from service.store.phrases import Phrase, TooManyPhrases
from service.store.sessions import Session
from service.wire.phrases import Mutes, PhraseSent, PhrasesOffered, PhrasesSent, phrases_in, serialize_phrase

blp = Blueprint(
    "phrases",
    __name__,
    url_prefix="/v1",
    description="Quick phrases from a fixed list, which persons at a table send each other. There is no free chat.",
)


class PhraseWanted(Body):
    """The phrase to send."""

    phrase = Choice(phrases.PHRASES, required=True, description="Id of a phrase.")


class MutesWanted(Body):
    """The seats to mute."""

    seats = Rows(
        Whole(0, MAX_SEATS - 1), 0, MAX_SEATS, required=True, description="Seats whose phrases are not delivered."
    )


@blp.get("/phrases")
@blp.response(200, PhrasesOffered, headers=("Vary",))
def list_phrases() -> Response:
    """List phrases.

    Return all phrases, in the order in which players need them during a game, from the greeting to the farewell.
    """
    headers = {"Cache-Control": "public, max-age=3600", "Vary": "Accept-Language"}
    return answer(PhrasesOffered(phrases=phrases_in(language())), headers=headers)


@blp.get("/sessions/<id>/phrases")
@require(allow_founder, table=False)
@blp.response(200, PhrasesSent, not_modified=IF_NONE_MATCH)
def list_session_phrases(session: Session, viewer: int) -> Response:
    """List sent phrases.

    Return the phrases that the caller received. The service keeps the last 64 phrases of a session until the session
    expires. Streams deliver each phrase as the message `phrase`. A new stream repeats the phrases of the last minute.
    Clients recognise repetitions by `number`.
    """
    sent = phrases.received(current_context().sessions, session, viewer)
    numbers = f"{len(sent)}.{sent[-1].number if sent else 0}"
    headers = revalidate_etag(f'"{numbers}.{language()}@{audience_of(viewer)}"')
    return answer(PhrasesSent(phrases=[_serialize(phrase) for phrase in sent]), headers=headers)


@blp.post("/sessions/<id>/phrases")
@require(allow_seat, table=False)
@blp.arguments(PhraseWanted())
@blp.response(201, PhraseSent, problems=("session-over", "too-many-phrases"))
@idempotent(seat_token)
def send_phrase(body: dict[str, Any], session: Session, viewer: int) -> Act:
    """Send a phrase.

    Send a phrase to all readers of the session, except the seats that mute the caller's seat. A phrase does not change
    the session's versions, and bots do not react to it. A finished session still accepts phrases. An aborted session
    does not. A seat may send five phrases in 30 seconds; beyond that the response is 429 with `Retry-After`.
    """

    def act(operation: str) -> Response:
        try:
            sent = phrases.send(current_context().sessions, session, viewer, body["phrase"], operation)
        except TooManyPhrases as spent:
            wait_seconds = -(-spent.wait_ms // 1000)
            raise Problem("too-many-phrases", headers={"Retry-After": str(wait_seconds)}) from None
        return answer(_serialize(sent), 201, {"Cache-Control": "no-store"})

    return act


@blp.get("/sessions/<id>/seats/<int:number>/mutes")
@require(allow_seat, table=False)
@blp.response(200, Mutes)
def get_mutes(session: Session, viewer: int, number: int) -> Response:
    """Get muted seats.

    Return the seats that the caller's seat mutes.
    """
    check_own_seat(viewer, number)
    return private(Mutes(seats=[*phrases.mutes_of(current_context().sessions, session, viewer)]))


@blp.put("/sessions/<id>/seats/<int:number>/mutes")
@require(allow_seat, table=False)
@blp.arguments(MutesWanted())
@blp.response(200, Mutes)
def put_mutes(body: dict[str, Any], session: Session, viewer: int, number: int) -> Response:
    """Mute seats.

    Set the list of seats that the caller's seat mutes. The new list replaces the previous list. The caller's seat
    receives no later phrases from muted seats. Other seats are not notified. The list becomes invalid when the token of
    the caller's seat is replaced.
    """
    check_own_seat(viewer, number)
    return private(Mutes(seats=[*phrases.mute(current_context().sessions, session, viewer, body["seats"])]))


def _serialize(sent: Phrase) -> PhraseSent:
    calendar = current_context().sessions.store.calendar()
    return serialize_phrase(sent, calendar.shown(sent.at), language())
