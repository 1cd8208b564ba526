"""Indexes of the sessions or jobs of an API key. The newest entry is the first.

An entry consists of the creation time of a session or job in milliseconds (12 hexadecimal digits) and its name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from redis import Redis

from service.store.scripts import script

MIN_ORPHAN_AGE_MS: Final = 600_000
"""Milliseconds for which an entry stays in the index even if its session or job is missing.

An entry is written before its session or job.
"""

TIME_CHARACTERS: Final = 12
"""Number of hexadecimal digits of the creation time in an entry."""


def entry_of(made: int, name: str) -> str:
    return f"{made:0{TIME_CHARACTERS}x}{name}"


def created_at(entry: str) -> int:
    return int(entry[:TIME_CHARACTERS], 16)


def name_in(entry: str) -> str:
    return entry[TIME_CHARACTERS:]


class OwnerIndex:
    """Reads and writes indexes. Each method gets the Redis keys of one owner's index."""

    def __init__(self, client: Redis) -> None:
        self._client = client
        self._add = client.register_script(script("index_add"))

    def add(self, key: str, key_of: Callable[[str], str], entries: Sequence[str], life_ms: int) -> None:
        """Add entries for sessions or jobs that are about to be written.

        `key` is the Redis key of the index. Each entry contains the name of a session or job. `key_of` converts this
        name to the Redis key of the session or job. Also check some old entries. If the session or job of an old entry
        is missing, delete this entry.
        """
        # An entry is written before its object, so that no object is missing in the index.
        some: Any = self._add(keys=[key], args=[life_ms, *entries])
        doubted = created_at(max(entries)) - MIN_ORPHAN_AGE_MS
        old = [entry for entry in map(bytes.decode, some) if created_at(entry) < doubted]
        if not old:
            return
        # In a cluster, all these keys must belong to one slot.
        with self._client.pipeline(transaction=False) as pipe:
            for entry in old:
                pipe.exists(key_of(name_in(entry)))
            kept: list[int] = pipe.execute()
        if gone := [entry for entry, is_kept in zip(old, kept, strict=True) if not is_kept]:
            self._client.zrem(key, *gone)

    def page(self, keys: Sequence[str], before: str, since: int, most: int) -> list[str]:
        """Return up to `most` entries, newest first.

        The entries were created at `since` or later. If `before` is not "", they are also older than the entry
        `before`.
        """
        high, low = f"({before}" if before else "+", f"[{entry_of(since, '')}"
        with self._client.pipeline(transaction=False) as pipe:
            for key in keys:
                pipe.zrange(key, high, low, desc=True, bylex=True, offset=0, num=most)
            found: list[list[bytes]] = pipe.execute()
        return sorted((entry.decode() for part in found for entry in part), reverse=True)[:most]

    def forget(self, key: str, entry: str, now: int) -> None:
        """Delete the entry of a missing session or job, unless the entry is very new."""
        # The object of a very new entry may not be written yet.
        if created_at(entry) < now - MIN_ORPHAN_AGE_MS:
            self._client.zrem(key, entry)
