"""A cache of the session pictures that this process drew last. Deltas are computed from these pictures."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Final

MAX_KEPT_BYTES: Final = 8 * 1024 * 1024


class RecentPictures:
    """A bounded cache of drawn pictures, by session id and ETag."""

    def __init__(self, kept_bytes: int = MAX_KEPT_BYTES) -> None:
        self._free, self._lock, self._texts = kept_bytes, Lock(), OrderedDict[tuple[str, str], bytes]()

    def get(self, session_id: str, tag: str) -> bytes | None:
        with self._lock:
            return self._texts.get((session_id, tag))

    def keep(self, session_id: str, tag: str, text: bytes) -> None:
        """Store a picture. If the cache is full, drop the pictures that were stored first."""
        with self._lock:
            self._free += len(self._texts.pop((session_id, tag), b"")) - len(text)
            self._texts[session_id, tag] = text
            while self._free < 0:
                self._free += len(self._texts.popitem(last=False)[1])
