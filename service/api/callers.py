"""Callers: an API key, a bearer, or an address; what a key may begin, and what is left of its quotas.

An operation that costs the service a table, a job or a message needs a key where the operator
demands keys (`@keyed`). What was begun has secrets of its own: the seats' and owner's tokens, tickets, invite codes and
ids of jobs; with those nobody needs a key. A key that is sent is looked at everywhere, and a wrong one refused.
"""

from __future__ import annotations

import hashlib
import ipaddress
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import wraps
from time import thread_time
from typing import Any, Final

from flask import Flask, Response, current_app, g, request
from redis.exceptions import RedisError
from werkzeug.middleware.proxy_fix import ProxyFix

from service.auth import rate_limits
from service.auth.api_keys import SCOPES, ApiKey
from service.auth.rate_limits import REQUESTS, Quota, RateLimitStatus, policies
from service.auth.session_ledger import STORED, UNFINISHED, Account, Costs
from service.context import AppContext, current_context
from service.http.blueprint import note, security_of
from service.http.handover import WAITED
from service.http.problems import Problem
from service.http.request_context import this_request
from service.jobs.queues import KEY_OWNER
from service.sessions.create import Charged, Uncharged

API_KEY_HEADER: Final = "Api-Key"
KEY_BEARER_OR_NONE: Final[list[dict[str, list[str]]]] = [{"key": []}, {"bearer": []}, {"key": [], "bearer": []}, {}]

UNCOUNTED: Final = {"/healthz", "/readyz"}
"""What asks whether the service works; the document and its page count, which are long."""

ANY_SCOPE: Final = " / ".join(SCOPES)

Application = Callable[[dict[str, Any], Any], Iterable[bytes]]
"""An application of WSGI."""

ADDRESS_BYTES: Final = 12

SESSION_QUOTAS: Final = (
    "sessions-spent",
    "too-many-sessions",
    "too-many-stored-sessions",
    "playouts-spent",
    "quota-too-small",
)
"""The problems of who founds more than the quotas allow."""

FULL_CODES: Final = {UNFINISHED: "too-many-sessions", STORED: "too-many-stored-sessions"}
"""The problem of a caller who has as many sessions of a kind as may be."""

TABLES_RETRY: Final = {"Retry-After": "60"}
"""Nobody knows when a session ends; a minute is a good time to look again."""

NETWORK: Final = 64
"""How many bits of an IPv6 address are one caller's, who may use all addresses that begin with them."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls.

    `identity`, of a key or an address, is whom all quotas and places are counted for: a bearer of jobs is any text that
    a caller chooses, so it counts for nothing. No store sees the address itself. `owner` is whom jobs belong to, empty
    without a credential, and `credential` is the secret itself, which is kept nowhere.
    """

    key: ApiKey | None
    identity: str
    owner: str
    credential: str | None

    @property
    def key_id(self) -> str | None:
        """Return the id of the key, None where none was sent."""
        return self.key.id if self.key else None

    @property
    def key_text(self) -> str | None:
        """Return the key as it was sent, None where none was."""
        return self.credential if self.key else None

    @property
    def address(self) -> str | None:
        """Return the identity of an address, None where a key was sent."""
        return None if self.key else self.identity

    @property
    def account(self) -> Account:
        """Return the account that new sessions are charged to."""
        return Account.of(self.identity, self.key, current_context().settings.limits)

    @property
    def requests(self) -> Quota | None:
        """Return the quota of requests."""
        return rate_limits.requests(self.key, current_context().settings.limits)

    @property
    def playouts(self) -> Quota | None:
        """Return the quota of playouts."""
        return rate_limits.playouts(self.key, current_context().settings.limits)


def install(app: Flask) -> None:
    """Authenticate and count every request, and add the headers of rate limits."""
    app.before_request(_count)
    app.after_request(_add_rate_limit_headers)


def trust_proxies(app: Application, trusted_proxies: int) -> Application:
    """Return an application that takes the address which a proxy heard for the caller's, where so many are trusted."""
    return ProxyFix(app, x_for=trusted_proxies, x_proto=0, x_host=0) if trusted_proxies else app


def caller() -> Caller:
    """Return who calls; raise Problem for a key that is none."""
    if "caller" not in g:
        g.caller = _caller()
    found: Caller = g.caller
    return found


def key_of_caller(**_: Any) -> str | None:
    """Return the API key that tells callers apart, None without one."""
    return caller().key_text


def keyed(
    scope: str, *, always: bool = False, unless: Callable[[], bool] | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Ask for a key of a scope, always or where the operator demands keys; one that is sent must have the scope.

    `unless` says of a request that it asks for what anybody may have.
    """

    def decorator(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            key = caller().key
            if unless is not None and unless():
                return function(*args, **kwargs)
            if key is None and (always or current_context().settings.keys_required):
                raise _unknown("key-needed", scope=scope)
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
    """Document an operation that takes any key, whatever its scopes; `require_key` raises its problems."""
    return note(function, problems=("unknown-key", "key-needed"), security=[{"key": []}])


def require_key(scope: str = ANY_SCOPE) -> ApiKey:
    """Return the caller's key, whose scope `keyed` has checked; raise Problem where none was sent."""
    key = caller().key
    if key is None:
        raise _unknown("key-needed", scope=scope)
    return key


def charge(cost: int) -> None:
    """Charge the caller for playouts; raise Problem where it has not so many left, or never has."""
    quota = caller().playouts
    if quota is None:
        return
    _check_size(quota, cost)
    standing = _spend(quota, cost)
    if not standing.granted:
        raise _spent(standing, cost)


def note_playouts() -> RateLimitStatus | None:
    """Return what is left of the caller's playouts, and note it for the response's headers; None without a quota."""
    if (quota := caller().playouts) is None:
        return None
    standing = current_context().rate_limiter.standing(quota, caller().identity)
    _note([standing])
    return standing


def standing_of_requests() -> RateLimitStatus | None:
    """Return what was left of the caller's requests when this one was counted; None without a quota."""
    return next((each for each in g.get("rate_limits", ()) if each.quota.name == REQUESTS), None)


def charge_sessions(costs: Costs) -> Charged:
    """Charge the caller for new sessions and their bots; raise Problem where it has not so much left."""
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
    """Charge the caller for a table that the store knows; raise Problem where as many as may be are begun."""
    quota = caller().account.sessions
    if quota is None:
        return
    status = _spend(quota, 1)
    if not status.granted:
        raise _spent(status, 1)


def account_of_sessions() -> str:
    """Return the name of the account that bots are charged to which stand in at new sessions; "" for none."""
    account = caller().account
    return account.name if account.playouts else ""


def _may_keep(size: int) -> bool:
    """Charge the caller for an answer that is to be kept for repetitions; return whether there was enough left."""
    quota = rate_limits.answers(caller().key, current_context().settings.limits)
    return quota is None or current_context().rate_limiter.spend(quota, caller().identity, size).granted


def _check_size(quota: Quota, cost: int) -> None:
    """Raise Problem where a caller never has so many playouts."""
    if cost > quota.amount:
        raise Problem("quota-too-small", cost=cost, quota=quota.amount)


def _spent(standing: RateLimitStatus, cost: int) -> Problem:
    """Return why something is refused for which too little is left of a quota."""
    return Problem(
        f"{standing.quota.name}-spent",
        headers={"Retry-After": str(standing.seconds)},
        cost=cost,
        left=standing.left,
    )


def _caller() -> Caller:
    """Find out who calls."""
    sent, bearer = request.headers.get(API_KEY_HEADER), request.headers.get("Authorization")
    if sent is not None:
        key = current_context().keys.find(sent)
        if key is None:
            raise _unknown("unknown-key")
        return Caller(key, KEY_OWNER + key.id, KEY_OWNER + key.id, sent)
    owner = hashlib.sha256(bearer.encode()).hexdigest() if bearer else ""
    return Caller(None, address_identity(request.remote_addr or "", current_context()), owner, bearer)


def address_identity(sent: str, context: AppContext) -> str:
    """Return the identity of the network that an address belongs to, which does not tell the address."""
    network = _network(sent).encode()
    return f"address-{hashlib.blake2b(network, key=context.address_secret, digest_size=ADDRESS_BYTES).hexdigest()}"


def _network(sent: str) -> str:
    """Return the network that an address belongs to."""
    with suppress(ValueError):
        address = ipaddress.ip_address(sent)
        if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is None:
            return str(ipaddress.ip_network((int(address), NETWORK), strict=False))
        return str(getattr(address, "ipv4_mapped", None) or address)
    return sent


def _count() -> None:
    """Count a request; raise Problem for one too many."""
    g.may_keep = _may_keep
    counted = this_request().environ.get(WAITED)
    if counted is not None:
        if counted.status is not None:
            g.cpu_began = thread_time()
            _note([counted.status])
        return
    if API_KEY_HEADER not in request.headers and not current_context().settings.limits.open_requests_per_minute:
        return  # no key was sent, and requests without one have no quota
    if request.path in UNCOUNTED or request.method == "OPTIONS":
        return
    quota = caller().requests
    if quota is None:
        return
    g.cpu_began = thread_time()
    if caller().key is None:
        standing = count_open_request(current_context(), quota, caller().identity)
    else:
        standing = current_context().request_counter.spend(quota, caller().identity)
    if standing is None:
        return
    _note([standing])
    if not standing.granted:
        raise Problem("rate-limited", headers={"Retry-After": str(standing.seconds)})


def count_open_request(context: AppContext, quota: Quota, identity: str) -> RateLimitStatus | None:
    """Count a request without a key, and return how its quota stands.

    Where the store cannot count it, nothing is counted and None returned: what needs no store is answered on, and what
    does is refused for the store's sake. It is asked again after some seconds.
    """
    if context.uncounted.is_set:
        return None
    try:
        return context.request_counter.spend(quota, identity)
    except RedisError:
        context.uncounted.set()
        return None


def rate_limit_headers(quotas: Iterable[Quota | None], standings: Iterable[RateLimitStatus]) -> dict[str, str]:
    """Return the headers for quotas, and for those that a request was counted for."""
    return {"RateLimit-Policy": policies(quotas), "RateLimit": ", ".join(each.header for each in standings)}


def _spend(quota: Quota, cost: int) -> RateLimitStatus:
    """Take from what the caller has left, and note how that went for the answer's headers and the figures."""
    standing = current_context().rate_limiter.spend(quota, caller().identity, cost)
    _note([standing])
    return standing


def _note(standings: Iterable[RateLimitStatus]) -> None:
    """Note how quotas stand for the answer's headers and the figures."""
    for standing in standings:
        g.setdefault("rate_limits", []).append(standing)
        if not standing.granted:
            current_app.extensions["metrics"].count_refusal(standing.quota.name)


def _add_rate_limit_headers(response: Response) -> Response:
    """Add the caller's quotas, and what is left of those that this request was counted for."""
    if "rate_limits" in g:
        _count_work()
        account = caller().account
        quotas = (caller().requests, account.sessions, account.playouts)
        response.headers.update(rate_limit_headers(quotas, g.rate_limits))
    return response


def _count_work() -> None:
    """Count a request without a key that has taken much processor time as the several that it is worth."""
    first = g.rate_limits[0]
    if caller().key is None and first.quota.name == REQUESTS:
        g.rate_limits[0] = count_work(current_context(), first, caller().identity, thread_time() - g.cpu_began)


def count_work(context: AppContext, counted: RateLimitStatus, identity: str, seconds: float) -> RateLimitStatus:
    """Count a request without a key, that was counted, as several where it took much processor time.

    Return how its quota stands then.
    """
    unit = context.settings.limits.open_request_cpu_milliseconds
    more = int(seconds * 1000) // unit if unit else 0
    if more:
        with suppress(RedisError):
            return context.rate_limiter.add(counted.quota, identity, more)
    return counted


def _unknown(code: str, **params: Any) -> Problem:
    """Return why a caller is refused."""
    return Problem(code, headers={"WWW-Authenticate": 'Api-Key realm="service"'}, **params)
