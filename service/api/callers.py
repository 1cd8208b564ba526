"""Callers: an API key, a bearer, or an address; what a key may begin, and what is left of its quotas.

An operation that costs the service a table, a job or a message needs a key where the operator
demands keys (`@keyed`). What was begun has secrets of its own: the seats' and owner's tokens, tickets, invite codes and
ids of jobs; with those nobody needs a key. A key that is sent is looked at everywhere, and a wrong one refused.
"""

from __future__ import annotations

import hashlib
import ipaddress
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import wraps
from typing import Any, Final

from flask import Flask, Response, current_app, g, request
from werkzeug.middleware.proxy_fix import ProxyFix

from service.auth import rate_limits
from service.auth.api_keys import ApiKey
from service.auth.rate_limits import Quota, RateLimitStatus, policies
from service.context import current_context
from service.http.blueprint import note, security_of
from service.http.problems import Problem
from service.jobs.queues import KEY_OWNER

API_KEY_HEADER: Final = "Api-Key"
KEY_BEARER_OR_NONE: Final[list[dict[str, list[str]]]] = [{"key": []}, {"bearer": []}, {"key": [], "bearer": []}, {}]

UNCOUNTED: Final = {"/healthz", "/readyz"}
"""What asks whether the service works; the document and its page count, which are long."""

NETWORK: Final = 64
"""How many bits of an IPv6 address are one caller's, who may use all addresses that begin with them."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls.

    `identity`, a key or an address, is whom requests, playouts and places are counted for: a bearer of jobs is any text
    that a caller chooses, so it counts for nothing. `owner` is whom jobs belong to, empty without a credential, and
    `credential` is the secret itself, which is kept nowhere.
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
    def requests(self) -> Quota | None:
        """Return the quota of requests."""
        return rate_limits.requests(self.key, current_context().settings.limits)

    @property
    def playouts(self) -> Quota | None:
        """Return the quota of playouts."""
        return rate_limits.playouts(self.key, current_context().settings.limits)


def install(app: Flask, trusted_proxies: int) -> None:
    """Authenticate and count every request, and add the headers of rate limits; trust so many proxies."""
    app.before_request(_count)
    app.after_request(_add_rate_limit_headers)
    if trusted_proxies:
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=trusted_proxies, x_proto=0, x_host=0)  # type: ignore[method-assign]


def caller() -> Caller:
    """Return who calls; raise Problem for a key that is none."""
    if "caller" not in g:
        g.caller = _caller()
    found: Caller = g.caller
    return found


def key_of_caller(**_: Any) -> str | None:
    """Return the API key that tells callers apart, None without one."""
    return caller().key_text


def keyed(scope: str, *, always: bool = False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Ask for a key of a scope, always or where the operator demands keys; one that is sent must have the scope."""

    def decorator(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            key = caller().key
            if key is None and (always or current_context().settings.keys_required):
                raise _unknown("key-needed", scope=scope)
            if key is not None and scope not in key.scopes:
                raise Problem("scope-missing", scope=scope)
            return function(*args, **kwargs)

        others = security_of(function)
        with_key = [{"key": list[str](), **other} for other in others]
        problems = ("unknown-key", "key-needed", "scope-missing", "rate-limited")
        return note(wrapper, problems=problems, security=with_key if always else [*with_key, *others])

    return decorator


def charge(cost: int) -> None:
    """Charge the caller for playouts; raise Problem where it has not so many left, or never has."""
    quota = caller().playouts
    if quota is None:
        return
    if cost > quota.item.amount:
        raise Problem("quota-too-small", cost=cost, quota=quota.item.amount)
    standing = _spend(quota, cost)
    if not standing.granted:
        retry = {"Retry-After": str(standing.seconds)}
        raise Problem("playouts-spent", headers=retry, cost=cost, left=standing.left)


def _caller() -> Caller:
    """Find out who calls."""
    sent, bearer = request.headers.get(API_KEY_HEADER), request.headers.get("Authorization")
    if sent is not None:
        key = current_context().keys.find(sent)
        if key is None:
            raise _unknown("unknown-key")
        return Caller(key, KEY_OWNER + key.id, KEY_OWNER + key.id, sent)
    owner = hashlib.sha256(bearer.encode()).hexdigest() if bearer else ""
    return Caller(None, _address(), owner, bearer)


def _address() -> str:
    """Return the network that a request comes from."""
    sent = request.remote_addr or ""
    with suppress(ValueError):
        address = ipaddress.ip_address(sent)
        if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is None:
            return str(ipaddress.ip_network((int(address), NETWORK), strict=False))
        return str(getattr(address, "ipv4_mapped", None) or address)
    return sent


def _count() -> None:
    """Count a request; raise Problem for one too many."""
    if API_KEY_HEADER not in request.headers and not current_context().settings.limits.open_requests_per_minute:
        return  # no key was sent, and requests without one have no quota
    if request.path in UNCOUNTED or request.method == "OPTIONS":
        return
    quota = caller().requests
    if quota is not None and not (standing := _spend(quota, 1)).granted:
        raise Problem("rate-limited", headers={"Retry-After": str(standing.seconds)})


def _spend(quota: Quota, cost: int) -> RateLimitStatus:
    """Take from what the caller has left, and note how that went for the answer's headers and the figures."""
    standing = current_context().rate_limiter.spend(quota, caller().identity, cost)
    g.setdefault("rate_limits", []).append(standing)
    if not standing.granted:
        current_app.extensions["metrics"].count_refusal(quota.name)
    return standing


def _add_rate_limit_headers(response: Response) -> Response:
    """Add the caller's quotas, and what is left of those that this request was counted for."""
    if "rate_limits" in g:
        response.headers["RateLimit-Policy"] = policies((caller().requests, caller().playouts))
        response.headers["RateLimit"] = ", ".join(standing.header for standing in g.rate_limits)
    return response


def _unknown(code: str, **params: Any) -> Problem:
    """Return why a caller is refused."""
    return Problem(code, headers={"WWW-Authenticate": 'Api-Key realm="service"'}, **params)
