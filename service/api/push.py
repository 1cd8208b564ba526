"""Push subscriptions of seats. When a player has to decide, a Web Push message goes to the player's browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Final

from flask import Response
from msgspec import Meta

from service.api.auth import allow_seat, check_own_seat, require
from service.api.session_replies import private
from service.contract.json_schemas import Answer
from service.http.blueprint import Blueprint, no_content
from service.http.context import current_context
from service.http.fields import Body, Whole, Within, Words
from service.http.problems import Problem, invalid_body
from service.http.request_context import language
from service.sessions.push import subscribe, subscription_of, unsubscribe
from service.store.sessions import Session
from service.validation.faults import Fault
from service.webhooks.push import PushSubscription, Vapid, check_point, check_secret
from service.webhooks.target import MAX_URL_CHARACTERS, target

blp = Blueprint(
    "push",
    __name__,
    url_prefix="/v1/sessions",
    description="Web Push messages to a player's browser when the player has to decide.",
)

MAX_KEY_CHARACTERS: Final = 128
MAX_TIME_MS: Final = 10**14


class PushKeys(Body):
    """The browser's keys, in base64url. The service needs them to encrypt its messages."""

    p256dh = Words(1, MAX_KEY_CHARACTERS, required=True, description="Public key of the browser: a point of P-256.")
    auth = Words(1, MAX_KEY_CHARACTERS, required=True, description="Secret of 16 bytes.")


class SeatSubscription(Body):
    """A push subscription, as `PushSubscription.toJSON()` of a browser returns it."""

    endpoint = Words(8, MAX_URL_CHARACTERS, required=True, description="https address of a push service.")
    keys = Within(PushKeys(), required=True)
    expirationTime = Whole(  # noqa: N815 -- the standard's name
        0, MAX_TIME_MS, allow_none=True, load_default=None, description="End in milliseconds since 1970, or null."
    )


class SeatPush(Answer, frozen=True, kw_only=True):
    """The service's public key for push subscriptions, and whether the caller has a subscription."""

    application_server_key: Annotated[
        str, Meta(description="`applicationServerKey` for `PushManager.subscribe()`, in base64url.")
    ]
    subscribed: Annotated[bool, Meta(description="Whether the seat has a subscription.")]


@blp.get("/<id>/seats/<int:number>/push")
@require(allow_seat, table=False)
@blp.response(200, SeatPush, problems=("push-off",))
def get_seat_push(session: Session, viewer: int, number: int) -> Response:
    """Get push settings.

    Return the service's public key for push messages, and whether the caller's seat has a push subscription. A browser
    needs this key to subscribe.
    """
    vapid = _own(viewer, number)
    subscribed = subscription_of(current_context().sessions, session, viewer) is not None
    return private(SeatPush(application_server_key=vapid.public_key, subscribed=subscribed))


@blp.put("/<id>/seats/<int:number>/push")
@require(allow_seat, table=False)
@blp.arguments(SeatSubscription())
@blp.response(200, SeatPush, problems=("push-off", "session-over", "too-many-writers"))
def put_seat_push(body: dict[str, Any], session: Session, viewer: int, number: int) -> Response:
    """Subscribe to push messages.

    Send a push message to a browser when the caller's seat has to decide and has not moved for five seconds. The
    message contains the webhook event `seat.asked`. In this event, `data.text` is a sentence in the language of the
    subscription request. The message reveals no information about the state of the game. A seat has one subscription; a
    new one replaces it. The subscription ends when the seat's token changes, when the session ends, or when the push
    service responds with 404 or 410.
    """
    vapid = _own(viewer, number)
    if target(body["endpoint"], private=current_context().settings.webhooks_private) is None:
        raise invalid_body("/endpoint", "public-address")
    keys = body["keys"]
    _check_keys(keys)
    subscription = PushSubscription(
        endpoint=body["endpoint"],
        p256dh=keys["p256dh"],
        auth=keys["auth"],
        language=language(),
        expires=body["expirationTime"],
    )
    subscribe(current_context().sessions, session, viewer, subscription)
    return private(SeatPush(application_server_key=vapid.public_key, subscribed=True))


@blp.delete("/<id>/seats/<int:number>/push")
@require(allow_seat, table=False)
@blp.response(204, problems=("too-many-writers",))
def delete_seat_push(session: Session, viewer: int, number: int) -> Response:
    """Unsubscribe from push messages.

    Remove the push subscription of the caller's seat, if there is one.
    """
    check_own_seat(viewer, number)
    unsubscribe(current_context().sessions, session, viewer)
    return no_content()


def _own(viewer: int, number: int) -> Vapid:
    check_own_seat(viewer, number)
    vapid = current_context().vapid
    if vapid is None:
        raise Problem("push-off")
    return vapid


def _check_keys(keys: dict[str, str]) -> None:
    checks: dict[str, Callable[[str], object]] = {"p256dh": check_point, "auth": check_secret}
    wrong = list[Fault]()
    for name, check in checks.items():
        try:
            check(keys[name])
        except ValueError:
            wrong.append(Fault(f"/keys/{name}", "pattern"))
    if wrong:
        raise Problem("invalid-body", errors=wrong)
