"""Indexes of the sessions or jobs of API keys, newest first.

An entry consists of a creation time in milliseconds, as 12 hexadecimal digits, and the name of an object. The order of
entries is total, as pagination requires. An entry is written before its object, so no object is missing in the index.
If an object expires, its entry is deleted later, when the index is read or gets a new entry. Entries younger than
`MIN_ORPHAN_AGE_MS` are kept. So an index has about as many entries as objects, and expires with its last object.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from redis import Redis

from service.store.scripts import script

MIN_ORPHAN_AGE_MS: Final = 600_000
"""Minimum age of an entry without an object before its deletion: the object may be about to be written."""

TIME_CHARACTERS: Final = 12
"""Length of the time in an entry."""


def entry_of(made: int, name: str) -> str:
    return f"{made:0{TIME_CHARACTERS}x}{name}"


def created_at(entry: str) -> int:
    return int(entry[:TIME_CHARACTERS], 16)


def name_in(entry: str) -> str:
    return entry[TIME_CHARACTERS:]


class OwnerIndex:
    """Reads and writes indexes of owners. Each call gets the keys of one owner's index."""

    def __init__(self, client: Redis) -> None:
        self._client = client
        self._add = client.register_script(script("index_add"))

    def add(self, key: str, key_of: Callable[[str], str], entries: Sequence[str], life_ms: int) -> None:
        """Write the entries of new objects, before the objects are written.

        `key_of` returns the key of an object with a name. Some old entries are checked, and deleted if their object is
        gone. In a cluster, all keys must be in one slot.
        """
        some: Any = self._add(keys=[key], args=[life_ms, *entries])
        doubted = created_at(max(entries)) - MIN_ORPHAN_AGE_MS
        old = [entry for entry in map(bytes.decode, some) if created_at(entry) < doubted]
        if not old:
            return
        with self._client.pipeline(transaction=False) as pipe:
            for entry in old:
                pipe.exists(key_of(name_in(entry)))
            kept: list[int] = pipe.execute()
        if gone := [entry for entry, is_kept in zip(old, kept, strict=True) if not is_kept]:
            self._client.zrem(key, *gone)

    def page(self, keys: Sequence[str], before: str, since: int, most: int) -> list[str]:
        """Return up to `most` entries, newest first.

        The entries are older than the entry `before`, which is "" for no bound, and were created since the time
        `since`.
        """
        high, low = f"({before}" if before else "+", f"[{entry_of(since, '')}"
        with self._client.pipeline(transaction=False) as pipe:
            for key in keys:
                pipe.zrange(key, high, low, desc=True, bylex=True, offset=0, num=most)
            found: list[list[bytes]] = pipe.execute()
        return sorted((entry.decode() for part in found for entry in part), reverse=True)[:most]

    def forget(self, key: str, entry: str, now: int) -> None:
        """Delete an entry whose object is missing. Keep a very new entry, because its object may not be written yet."""
        if created_at(entry) < now - MIN_ORPHAN_AGE_MS:
            self._client.zrem(key, entry)
