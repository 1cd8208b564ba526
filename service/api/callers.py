"""Checks of API keys and quotas.

An operation with the decorator `keyed` needs an API key if the setting `keys_required` is true. Operations on webhooks
always need an API key. Operations on a session usually need only a token of the session. If a request has an API key
that it does not need, the key must still be valid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, Final

from flask import current_app

from service.auth.api_keys import SCOPES, ApiKey
from service.auth.rate_limits import REQUESTS, Quota, RateLimitStatus
from service.auth.session_ledger import STORED, UNFINISHED, Costs
from service.http.admission import Caller, caller_of, unknown_key
from service.http.blueprint import note, security_of
from service.http.context import current_context
from service.http.problems import Problem
from service.http.request_context import current_call
from service.sessions.create import Charged, Uncharged

KEY_BEARER_OR_NONE: Final[list[dict[str, list[str]]]] = [{"key": []}, {"bearer": []}, {"key": [], "bearer": []}, {}]

ANY_SCOPE: Final = " / ".join(SCOPES)

SESSION_QUOTAS: Final = (
    "sessions-spent",
    "too-many-sessions",
    "too-many-stored-sessions",
    "playouts-spent",
    "quota-too-small",
)
"""Problem codes for a caller without enough quota to create a session."""

FULL_CODES: Final = {UNFINISHED: "too-many-sessions", STORED: "too-many-stored-sessions"}
"""The problem code for each limit on a caller's number of sessions."""

TABLES_RETRY: Final = {"Retry-After": "60"}
"""Header of the problems in FULL_CODES. The service cannot predict when the caller will have fewer sessions."""


def caller() -> Caller:
    """Return the caller of the current request. Raise Problem if its API key is invalid."""
    return caller_of(current_context(), current_call())


def key_of_caller(**_: Any) -> str | None:
    return caller().key_text


def keyed(
    scope: str, *, always: bool = False, unless: Callable[[], bool] | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that checks the API key and its scope `scope`.

    A key is required if the settings require keys, or if `always` is true. If `unless` returns true, the request needs
    neither a key nor the scope.
    """

    def decorator(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            key = caller().key
            if unless is not None and unless():
                return function(*args, **kwargs)
            if key is None and (always or current_context().settings.keys_required):
                raise unknown_key("key-needed", scope=scope)
            if key is not None and scope not in key.scopes:
                raise Problem("scope-missing", scope=scope)
            return function(*args, **kwargs)

        others = security_of(function)
        with_key = [{"key": list[str](), **other} for other in others]
        problems = ("unknown-key", "key-needed", "scope-missing")
        return note(
            wrapper, problems=problems, security=with_key if always and unless is None else [*with_key, *others]
        )

    return decorator


def needs_key(function: Callable[..., Any]) -> Callable[..., Any]:
    """Document that an operation needs an API key. The key may have any scope.

    The operation itself must call `require_key`.
    """
    return note(function, problems=("unknown-key", "key-needed"), security=[{"key": []}])


def require_key(scope: str = ANY_SCOPE) -> ApiKey:
    """Return the caller's API key. Raise Problem if the request has none.

    The scopes of the key are not checked. `scope` only appears in the text of the Problem.
    """
    key = caller().key
    if key is None:
        raise unknown_key("key-needed", scope=scope)
    return key


def charge(cost: int) -> None:
    """Charge the caller for `cost` playouts.

    Raise Problem if too few playouts are left, or if `cost` exceeds the whole quota.
    """
    quota = caller().playouts
    if quota is None:
        return
    _check_size(quota, cost)
    standing = _spend(quota, cost)
    if not standing.granted:
        raise _spent(standing, cost)


def note_playouts() -> RateLimitStatus | None:
    """Add the status of the caller's playout quota to the response headers, and return it.

    Return None if the caller has no quota.
    """
    if (quota := caller().playouts) is None:
        return None
    standing = current_context().rate_limiter.standing(quota, caller().identity)
    _note([standing])
    return standing


def standing_of_requests() -> RateLimitStatus | None:
    """Return the status of the caller's request quota. The current request is already counted.

    Return None if the caller has no quota.
    """
    return next((each for each in current_call().standings if each.quota.name == REQUESTS), None)


def charge_sessions(costs: Costs) -> Charged:
    """Charge the caller for new sessions and their bots. Raise Problem if a quota is insufficient."""
    account, ledger = caller().account, current_context().sessions.ledger
    if ledger is None or not account.counted:
        return Uncharged()
    playouts = sum(sum(seats.values()) for seats in costs.values())
    if account.playouts:
        _check_size(account.playouts, playouts)
    made = ledger.found(account, costs)
    if not made.charge.repeated:
        _note(made.charge.statuses)
    for standing in made.charge.statuses:
        if not standing.granted:
            raise _spent(standing, len(costs) if standing.quota is account.sessions else playouts)
    if made.charge.full is not None:
        current_app.extensions["metrics"].count_refusal(FULL_CODES[made.charge.full.name])
        raise Problem(FULL_CODES[made.charge.full.name], headers=TABLES_RETRY, most=made.charge.full.most)
    return made


def charge_fresh_table() -> None:
    """Charge the caller for one fresh table, which counts as a new session. Raise Problem if the quota is used up."""
    quota = caller().account.sessions
    if quota is None:
        return
    status = _spend(quota, 1)
    if not status.granted:
        raise _spent(status, 1)


def account_of_sessions() -> str:
    """Return the name of the caller's account. A session that the caller creates stores this name.

    A bot may later replace a person in that session. The account then pays for the bot's playouts. Return "" if the
    caller's playouts are not limited.
    """
    account = caller().account
    return account.name if account.playouts else ""


def _check_size(quota: Quota, cost: int) -> None:
    """Raise Problem if `cost` is larger than the whole quota. Such a cost can never be charged."""
    if cost > quota.amount:
        raise Problem("quota-too-small", cost=cost, quota=quota.amount)


def _spent(standing: RateLimitStatus, cost: int) -> Problem:
    return Problem(
        f"{standing.quota.name}-spent",
        headers={"Retry-After": str(standing.seconds)},
        cost=cost,
        left=standing.left,
    )


def _spend(quota: Quota, cost: int) -> RateLimitStatus:
    standing = current_context().rate_limiter.spend(quota, caller().identity, cost)
    _note([standing])
    return standing


def _note(standings: Iterable[RateLimitStatus]) -> None:
    for standing in standings:
        current_call().note(standing)
