"""Indexes of what API keys have made, sessions or jobs, newest first.

An entry is the time in milliseconds, as 12 digits of base 16, and the name of what was made; entries have one order, by
which pages go on. An entry is written before what it names, so nothing that exists is missing; one that names nothing
is forgotten once it is `DOUBT_MS` old, by readers and by whoever enters the next. So an index has about as many entries
as there are things, and expires with the last of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from redis import Redis

from service.store.scripts import script

DOUBT_MS: Final = 600_000
"""For how long an entry is kept although nothing of its name is found: what it names may be about to be written."""

TIME_CHARACTERS: Final = 12
"""How many characters of an entry are its time."""


def entry_of(made: int, name: str) -> str:
    """Return the entry of what was made at a time."""
    return f"{made:0{TIME_CHARACTERS}x}{name}"


def made_at(entry: str) -> int:
    """Return when what an entry names was made."""
    return int(entry[:TIME_CHARACTERS], 16)


def name_in(entry: str) -> str:
    """Return what an entry names."""
    return entry[TIME_CHARACTERS:]


class OwnerIndex:
    """Reads and writes the indexes of owners; those of one owner are the `keys` that each call names."""

    def __init__(self, client: Redis) -> None:
        self._client = client
        self._add = client.register_script(script("index_add"))

    def add(self, key: str, key_of: Callable[[str], str], entries: Sequence[str], life_ms: int) -> None:
        """Write entries of what is about to be written; `key_of` returns the key of what a name names.

        Of some entries it is looked whether they still name something. In a cluster all keys lie in one slot.
        """
        some: Any = self._add(keys=[key], args=[life_ms, *entries])
        doubted = made_at(max(entries)) - DOUBT_MS
        old = [entry for entry in map(bytes.decode, some) if made_at(entry) < doubted]
        if not old:
            return
        with self._client.pipeline(transaction=False) as pipe:
            for entry in old:
                pipe.exists(key_of(name_in(entry)))
            kept: list[int] = pipe.execute()
        if gone := [entry for entry, is_kept in zip(old, kept, strict=True) if not is_kept]:
            self._client.zrem(key, *gone)

    def page(self, keys: Sequence[str], before: str, since: int, most: int) -> list[str]:
        """Return up to `most` entries, the newest first: those before an entry ("" for all), made since a time."""
        high, low = f"({before}" if before else "+", f"[{entry_of(since, '')}"
        with self._client.pipeline(transaction=False) as pipe:
            for key in keys:
                pipe.zrange(key, high, low, desc=True, bylex=True, offset=0, num=most)
            found: list[list[bytes]] = pipe.execute()
        return sorted((entry.decode() for part in found for entry in part), reverse=True)[:most]

    def forget(self, key: str, entry: str, now: int) -> None:
        """Take an entry out whose name nothing has, unless it is so new that somebody may be writing it."""
        if made_at(entry) < now - DOUBT_MS:
            self._client.zrem(key, entry)
