"""Admission of requests. It identifies the callers of a batch of requests and checks their request quotas."""

from __future__ import annotations

import hashlib
import ipaddress
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from redis.exceptions import RedisError

from service.auth import rate_limits
from service.auth.api_keys import KEY_OWNER, ApiKey
from service.auth.rate_limits import REQUESTS, Quota, RateLimitStatus
from service.auth.session_ledger import Account
from service.http.context import AppContext, current_context
from service.http.problems import Problem
from service.http.request_context import Call

API_KEY_HEADER: Final = "Api-Key"
_API_KEY: Final = "api-key"

UNCOUNTED: Final = {"/healthz", "/readyz"}
"""Paths that count towards no quota, because monitors call them."""

UNCOUNTED_SECONDS: Final = 2
"""Seconds for which requests without an API key are not counted after Redis has failed to count such a request."""

ADDRESS_BYTES: Final = 12
MAX_ADDRESSES: Final = 4_096
"""Maximum number of cached results of `address_identity`."""

NETWORK_BITS: Final = 64
"""Number of leading bits of an IPv6 address that identify a caller. A caller may use all addresses with this prefix."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The sender of a request. `identity` is the API key's id, or a hash of the network address.

    `credential` is the key or the bearer token. It is not hashed.
    """

    key: ApiKey | None
    # Quotas and wait slots are counted per identity. It never depends on a bearer token, because callers could send a
    # new token each time.
    identity: str
    # It is not stored.
    credential: str | None

    @property
    def owner(self) -> str:
        """The owner of the jobs that this caller creates. It is "" if the caller has no credential."""
        if self.key is not None:
            return self.identity
        return hashlib.sha256(self.credential.encode()).hexdigest() if self.credential else ""

    @property
    def key_id(self) -> str | None:
        return self.key.id if self.key else None

    @property
    def key_text(self) -> str | None:
        return self.credential if self.key else None

    @property
    def address(self) -> str | None:
        return None if self.key else self.identity

    @property
    def account(self) -> Account:
        return Account.of(self.identity, self.key, current_context().settings.limits)

    @property
    def requests(self) -> Quota | None:
        return rate_limits.requests(self.key, current_context().settings.limits)

    @property
    def playouts(self) -> Quota | None:
        return rate_limits.playouts(self.key, current_context().settings.limits)


def caller_of(context: AppContext, call: Call) -> Caller:
    """Return the caller of a request. Raise Problem if the request has an unknown API key."""
    if call.caller is None:
        (found,) = _find_callers(context, [call])
        if isinstance(found, Exception):
            raise found
        call.caller = found
    return call.caller


def admit(context: AppContext, calls: Sequence[Call]) -> None:
    """Identify the callers of requests and count the requests. This takes two round trips to Redis.

    If a request is rejected, set `call.refusal`.
    """
    open_quota = context.settings.limits.open_requests_per_minute
    counted = [
        call
        for call in calls
        if (open_quota or _API_KEY in call.request.headers)
        and call.request.path not in UNCOUNTED
        and call.request.method != "OPTIONS"
    ]
    if not counted:
        return
    for call, found in zip(counted, _find_callers(context, counted), strict=True):
        if isinstance(found, Exception):
            call.refusal = found
        else:
            call.caller = found
    asked = [(call, call.caller, call.caller.requests) for call in counted if call.caller is not None]
    known = [(call, caller, quota) for call, caller, quota in asked if quota is not None]
    standings = _count(context, [(caller, quota) for _, caller, quota in known])
    for (call, _, _), standing in zip(known, standings, strict=True):
        if isinstance(standing, Exception):
            call.refusal = standing
        elif standing is not None:
            call.note(standing)
            if not standing.granted:
                call.refusal = Problem("rate-limited", headers={"Retry-After": str(standing.seconds)})


def charge_work(context: AppContext, calls: Sequence[Call]) -> None:
    """Count processor time towards the request quotas of callers. Ignore callers with an API key.

    Each request has already counted once towards its caller's quota. The setting `open_request_cpu_milliseconds` is the
    processor time that counts as one more request. If the setting is 25, a request that took 60 milliseconds counts as
    two more requests. All quotas together are updated in one round trip to Redis.
    """
    unit = context.settings.limits.open_request_cpu_milliseconds
    if not unit:
        return
    charged = [
        (call, call.standings[0].quota, call.caller.identity, int(call.spent * 1000) // unit)
        for call in calls
        if call.standings
        and call.standings[0].quota.name == REQUESTS
        and call.caller is not None
        and call.caller.key is None
        and call.spent * 1000 >= unit
    ]
    standings = context.rate_limiter.add_each([each[1:] for each in charged])
    for (call, *_), standing in zip(charged, standings, strict=True):
        if not isinstance(standing, Exception):
            call.standings = [standing, *call.standings[1:]]


def unknown_key(code: str, **params: Any) -> Problem:
    return Problem(code, headers={"WWW-Authenticate": 'Api-Key realm="service"'}, **params)


@lru_cache(MAX_ADDRESSES)
def address_identity(address: str, secret: bytes) -> str:
    """Return an identifier of the network that contains `address`.

    The network can be derived from the identifier only with `secret`.
    """
    return f"address-{hashlib.blake2b(_network(address).encode(), key=secret, digest_size=ADDRESS_BYTES).hexdigest()}"


def _find_callers(context: AppContext, calls: Sequence[Call]) -> list[Caller | Exception]:
    keyed = [call.request.headers[_API_KEY] for call in calls if _API_KEY in call.request.headers]
    keys: list[ApiKey | RedisError | None] = []
    if keyed:
        try:
            keys = [*context.keys.find_each(keyed)]
        except RedisError as error:
            keys = [error] * len(keyed)
    found, callers = iter(keys), list[Caller | Exception]()
    for call in calls:
        headers = call.request.headers
        if _API_KEY not in headers:
            identity = address_identity(call.request.client, context.address_secret)
            callers.append(Caller(None, identity, headers.get("authorization")))
        elif isinstance(key := next(found), ApiKey):
            callers.append(Caller(key, KEY_OWNER + key.id, headers[_API_KEY]))
        else:
            callers.append(key or unknown_key("unknown-key"))
    return callers


def _count(context: AppContext, asked: Sequence[tuple[Caller, Quota]]) -> list[RateLimitStatus | Exception | None]:
    """Count one request for each pair (caller, quota). Return the status of the quota for each pair.

    If Redis fails for a caller with an API key, return the exception. If Redis fails for an anonymous caller (without
    an API key), return None. For the next UNCOUNTED_SECONDS, return None for all anonymous callers, and do not count
    their requests. The result None admits a request, because the request may not need Redis.
    """
    is_paused = time.monotonic() < context.uncounted_until
    counted = [(caller.key is not None or not is_paused) for caller, _ in asked]
    found = iter(
        context.request_counter.spend_each(
            [(quota, caller.identity) for (caller, quota), counts in zip(asked, counted, strict=True) if counts]
        )
    )
    standings: list[RateLimitStatus | Exception | None] = [next(found) if counts else None for counts in counted]
    for place, (caller, _) in enumerate(asked):
        if isinstance(standings[place], RedisError) and caller.key is None:
            context.uncounted_until = time.monotonic() + UNCOUNTED_SECONDS
            standings[place] = None
    return standings


def _network(sent: str) -> str:
    with suppress(ValueError):
        address = ipaddress.ip_address(sent)
        if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is None:
            return str(ipaddress.ip_network((int(address), NETWORK_BITS), strict=False))
        return str(getattr(address, "ipv4_mapped", None) or address)
    return sent
