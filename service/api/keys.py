"""The API key of a request: its scopes, limits and remaining quotas."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from service.api.callers import caller, needs_key, note_playouts, require_key, standing_of_requests
from service.api.players import games_of_tally
from service.auth.api_keys import SCOPES
from service.auth.rate_limits import RateLimitStatus
from service.contract.json_schemas import Answer, Time
from service.http.blueprint import Blueprint
from service.http.context import current_context
from service.store.clock import rfc3339

blp = Blueprint("keys", __name__, url_prefix="/v1/keys", description="Scopes, limits and quotas of an API key.")

Amount = Annotated[int, Meta(ge=0)]
KeyScope = Annotated[str, Meta(extra_json_schema={"enum": list(SCOPES)})]


class QuotaShown(msgspec.Struct, frozen=True, kw_only=True):
    """A quota. After `renews_in_seconds`, a new window begins and `remaining` becomes `amount`."""

    amount: Amount
    remaining: Amount
    window_seconds: Amount
    renews_in_seconds: Amount


class KeyQuotas(msgspec.Struct, frozen=True, kw_only=True):
    """Quotas of an API key. A missing quota is unlimited."""

    requests: QuotaShown | UnsetType = UNSET
    playouts: QuotaShown | UnsetType = UNSET


class KeyLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of an API key."""

    games_per_job: Annotated[int, Meta(ge=0, description="Maximum number of games in a job that stores only counts.")]
    open_jobs: Annotated[int, Meta(ge=0, description="Maximum number of unfinished jobs; 0 for no limit.")]


class KeyShown(Answer, frozen=True, kw_only=True):
    """An API key without its secret."""

    id: str
    name: str
    scopes: list[KeyScope]
    created_at: Time
    expires_at: Time | UnsetType = UNSET
    limits: KeyLimits
    quotas: KeyQuotas


@blp.get("/current")
@needs_key
@blp.response(200, KeyShown, problems=("store-away",))
def get_current_key() -> KeyShown:
    """Get the API key.

    Return the scopes, limits and remaining quotas of the request's API key. This requires no scope. The request itself
    counts towards the quota.
    """
    key, limits = require_key(), current_context().settings.limits
    expiry = key.expiry_of(caller().key_text or "")
    return KeyShown(
        id=key.id,
        name=key.name,
        scopes=list(key.scopes),
        created_at=rfc3339(key.made),
        expires_at=UNSET if expiry is None else rfc3339(expiry),
        limits=KeyLimits(games_per_job=games_of_tally(key, limits), open_jobs=limits.open_jobs_per_key),
        quotas=KeyQuotas(requests=_shown(standing_of_requests()), playouts=_shown(note_playouts())),
    )


def _shown(standing: RateLimitStatus | None) -> QuotaShown | UnsetType:
    if standing is None:
        return UNSET
    return QuotaShown(
        amount=standing.quota.amount,
        remaining=standing.left,
        window_seconds=standing.quota.window_ms // 1000,
        renews_in_seconds=standing.seconds,
    )
