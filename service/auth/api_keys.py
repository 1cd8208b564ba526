"""API keys: who may begin what here, and at whose cost; the store has hashes alone.

A key is `dorf_<id>_<secret>`. The id is no secret: it names the key in lists, in records and to quotas. The secret has
256 random bits, so a plain hash of it cannot be guessed back, and checking one costs a microsecond.
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

if TYPE_CHECKING:  # the command line knows the scopes and has no use for a client
    from redis import Redis

PLAY_SCOPE: Final = "play"
JOBS: Final = "jobs"
WEBHOOKS: Final = "webhooks"

SCOPES: Final = {
    PLAY_SCOPE: "set up tables: snapshots, and whatever is asked about them, and sessions",
    JOBS: "searches, batches, simulations and tournaments, and what became of one's own",
    WEBHOOKS: "have turns and ended jobs of this key told to an address",
}
"""What a key may be for; each alone is worth nothing elsewhere."""

KEY_OWNER: Final = "key-"
"""The beginning of an owner's name that is the id of an API key."""

ALL: Final = "k:keys"
"""The key of the hash that has every API key's record by its id."""

_FORM: Final = re.compile(r"dorf_([0-9a-f]{12})_([A-Za-z0-9_-]{43})\Z")


class ApiKey(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A stored key; `made` is in milliseconds since 1970, quotas of its own stand in for the usual ones.

    `games_per_job` is how many games a job of this key may have of which the tally alone is kept.
    """

    id: str
    name: str
    scopes: tuple[str, ...]
    hashed: str
    made: int
    requests_per_minute: int | None = None
    playouts_per_hour: int | None = None
    games_per_job: int | None = None


class KeyStore:
    """Reads and writes keys."""

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
        """Make a key and return it with its text, which is stored nowhere."""
        text = f"dorf_{secrets.token_hex(6)}_{secrets.token_urlsafe(32)}"
        made = ApiKey(
            id=text.split("_")[1],
            name=name,
            scopes=tuple(scope for scope in SCOPES if scope in set(scopes)),
            hashed=_hashed(text),
            made=time.time_ns() // 1_000_000,
            requests_per_minute=requests_per_minute,
            playouts_per_hour=playouts_per_hour,
            games_per_job=games_per_job,
        )
        self._client.hset(ALL, made.id, msgspec.json.encode(made).decode())
        return made, text

    def every(self) -> list[ApiKey]:
        """Return all keys, the oldest first."""
        found = cast("dict[bytes, bytes]", self._client.hgetall(ALL))
        return sorted((msgspec.json.decode(raw, type=ApiKey) for raw in found.values()), key=lambda key: key.made)

    def revoke(self, key_id: str) -> bool:
        """Forget a key by its id, and return whether there was one; the next request with it is refused."""
        return bool(self._client.hdel(ALL, key_id))

    def find(self, text: str) -> ApiKey | None:
        """Return the key that a text is, or None."""
        return self.find_each([text])[0]

    def find_each(self, texts: Sequence[str]) -> list[ApiKey | None]:
        """Return the keys that texts are, None for a text that is none; one exchange."""
        forms = [_FORM.match(text) for text in texts]
        ids = list(dict.fromkeys(form[1] for form in forms if form))
        rows = cast("list[bytes | None]", self._client.hmget(ALL, ids)) if ids else []
        known = {key_id: msgspec.json.decode(row, type=ApiKey) for key_id, row in zip(ids, rows, strict=True) if row}
        found = [known.get(form[1]) if form else None for form in forms]
        return [
            key if key and hmac.compare_digest(key.hashed, _hashed(text)) else None
            for key, text in zip(found, texts, strict=True)
        ]

    def by_id(self, key_id: str) -> ApiKey | None:
        """Return the key of an id, or None where it was revoked or never was."""
        raw = cast("bytes | None", self._client.hget(ALL, key_id))
        return None if raw is None else msgspec.json.decode(raw, type=ApiKey)


def _hashed(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
