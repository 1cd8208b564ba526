"""API keys with scopes and quotas. The text of an API key is `dorf_<id>_<secret>`.

The id is not secret. It identifies the API key in lists, records and quotas. Redis stores only a hash of the API key's
text.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, cast

import msgspec

if TYPE_CHECKING:  # the command line needs the scopes but no client
    from redis import Redis
    from redis.client import Pipeline

PLAY_SCOPE: Final = "play"
JOBS: Final = "jobs"
WEBHOOKS: Final = "webhooks"

SCOPES: Final = (PLAY_SCOPE, JOBS, WEBHOOKS)
"""The scopes of API keys. No scope includes another."""

KEY_OWNER: Final = "key-"
"""Prefix of an owner's name if the owner is an API key. The key's id follows."""

ALL: Final = "k:keys"
"""Name of the Redis hash that contains the record of every API key, by id."""

_FORM: Final = re.compile(r"dorf_([0-9a-f]{12})_([A-Za-z0-9_-]{43})\Z")


class ApiKey(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The stored record of an API key. Times are in milliseconds since 1970.

    * `games_per_job` can raise the maximum number of games in a job. It applies only to jobs that do not store their
      games.
    * `previous` is the hash of the previous text. The previous text is valid until `previous_until`.
    """

    id: str
    name: str
    scopes: tuple[str, ...]
    hashed: str
    made: int
    requests_per_minute: int | None = None
    playouts_per_hour: int | None = None
    games_per_job: int | None = None
    previous: str | None = None
    previous_until: int = 0

    def opened_by(self, text: str, now: int) -> bool:
        """Return whether `text` is valid for this key.

        It is valid if it is the key's current text, or if it is the previous text and has not expired.
        """
        given = _hashed(text)
        current, previous = hmac.compare_digest(self.hashed, given), hmac.compare_digest(self.previous or "", given)
        return current or (previous and now < self.previous_until)

    def expiry_of(self, text: str) -> int | None:
        """Return the time at which `text` expires, in milliseconds since 1970.

        `text` must be the key's current or previous text. Return None for the current text, which does not expire.
        """
        return None if hmac.compare_digest(self.hashed, _hashed(text)) else self.previous_until


class KeyStore:
    """Reads and writes API keys in Redis."""

    def __init__(self, client: Redis) -> None:
        self._client = client

    def add(
        self,
        name: str,
        scopes: Iterable[str],
        requests_per_minute: int | None = None,
        playouts_per_hour: int | None = None,
        games_per_job: int | None = None,
    ) -> tuple[ApiKey, str]:
        """Create an API key. Return its record and its text. The text is not stored."""
        key_id = secrets.token_hex(6)
        text = _text_of(key_id)
        made = ApiKey(
            id=key_id,
            name=name,
            scopes=tuple(scope for scope in SCOPES if scope in set(scopes)),
            hashed=_hashed(text),
            made=_now(),
            requests_per_minute=requests_per_minute,
            playouts_per_hour=playouts_per_hour,
            games_per_job=games_per_job,
        )
        self._client.hset(ALL, made.id, msgspec.json.encode(made).decode())
        return made, text

    def rotate(self, key_id: str, overlap_ms: int) -> str | None:
        """Replace an API key's secret, and return the new text of the key. Return None if there is no such key.

        The previous secret stays valid for `overlap_ms`.
        """
        text = _text_of(key_id)

        def replace(pipe: Pipeline) -> None:
            raw = cast("bytes | None", pipe.hget(ALL, key_id))
            pipe.multi()
            if raw is not None:
                key = msgspec.json.decode(raw, type=ApiKey)
                rotated = msgspec.structs.replace(
                    key, hashed=_hashed(text), previous=key.hashed, previous_until=_now() + overlap_ms
                )
                pipe.hset(ALL, key_id, msgspec.json.encode(rotated).decode())

        # If the key is revoked at the same time, the transaction runs again, and the key stays revoked.
        return text if self._client.transaction(replace, ALL) else None

    def every(self) -> list[ApiKey]:
        """Return all API keys, oldest first."""
        found = cast("dict[bytes, bytes]", self._client.hgetall(ALL))
        return sorted((msgspec.json.decode(raw, type=ApiKey) for raw in found.values()), key=lambda key: key.made)

    def revoke(self, key_id: str) -> bool:
        """Delete an API key by its id. Return whether the key existed."""
        return bool(self._client.hdel(ALL, key_id))

    def find(self, text: str) -> ApiKey | None:
        return self.find_each([text])[0]

    def find_each(self, texts: Sequence[str]) -> list[ApiKey | None]:
        """Return the API key of each text, with one round trip to Redis. In place of an unknown key, return None."""
        forms = [_FORM.match(text) for text in texts]
        ids = list(dict.fromkeys(form[1] for form in forms if form))
        rows = cast("list[bytes | None]", self._client.hmget(ALL, ids)) if ids else []
        known = {key_id: msgspec.json.decode(row, type=ApiKey) for key_id, row in zip(ids, rows, strict=True) if row}
        found, now = [known.get(form[1]) if form else None for form in forms], _now()
        return [key if key and key.opened_by(text, now) else None for key, text in zip(found, texts, strict=True)]

    def by_id(self, key_id: str) -> ApiKey | None:
        """Return an API key by its id. Return None if there is no such key."""
        raw = cast("bytes | None", self._client.hget(ALL, key_id))
        return None if raw is None else msgspec.json.decode(raw, type=ApiKey)


def _text_of(key_id: str) -> str:
    return f"dorf_{key_id}_{secrets.token_urlsafe(32)}"


def _now() -> int:
    return time.time_ns() // 1_000_000


# The secret has 256 random bits, so even an unsalted hash cannot be reversed.
def _hashed(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
