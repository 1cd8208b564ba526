"""Wait slots limit the number of streams and long polls, because each of them takes memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from contextlib import suppress
from threading import Lock
from typing import Any, Final

from service.http.problems import Problem

WAIT_RETRY_SECONDS: Final = "5"


class WaitSlot:
    """The permission for one request to wait.

    The method `release` gives the permission back. A second call of `release` does nothing.
    """

    __slots__ = ("_on_release",)

    def __init__(self, on_release: Callable[[], None]) -> None:
        self._on_release = [on_release]

    def release(self) -> None:
        with suppress(IndexError):  # of the second of two threads
            self._on_release.pop()()


POLLS_PART: Final = 4
"""Denominator of the fraction of slots that are reserved for long polls. For example, 6 of 24 slots are reserved."""


class WaitSlots:
    """Limits on this process's waiting requests.

    There is one limit for the whole process, one for each caller, and one for each network address. The limit of an
    address counts only the requests without an API key.
    """

    def __init__(self, slots: int, each: int, share: int = 0) -> None:
        """Set the limits: `slots` for the process, `each` for a caller, and `share` for a network address.

        If `share` is 0, addresses have no limit. Otherwise, the limit of an address is the smaller one of two numbers:
        `share` and half of `slots`.
        """
        self._slots, self._each = slots, each
        # An address gets at most half of all slots. If addresses have a limit, a quarter of all slots, and a quarter of
        # an address's slots, are reserved for long polls.
        self._share = min(share, (slots + 1) // 2) if share else 0
        self._taken: Counter[Hashable] = Counter()
        self._of_addresses: Counter[str | None] = Counter()
        self._streams: Counter[str | None] = Counter()
        self._all = self._all_streams = 0
        self._lock = Lock()

    def take(self, caller: Hashable, address: str | None = None, *, stream: bool = False) -> WaitSlot:
        """Return a slot. Raise Problem if the process, the caller or the address has no free slot.

        `address` is None if the caller has an API key.
        """
        with self._lock:
            if self._taken[caller] >= self._each or self._is_full(address, stream=stream):
                raise Problem("too-many-streams", headers={"Retry-After": WAIT_RETRY_SECONDS})
            most = _but_for_polls(self._slots) if stream and self._share else self._slots
            if self._all >= self._slots or (stream and self._all_streams >= most):
                raise Problem("streams-busy", headers={"Retry-After": WAIT_RETRY_SECONDS})
            self._count(caller, address, 1, stream=stream)
        return WaitSlot(lambda: self._release(caller, address, stream=stream))

    def _is_full(self, address: str | None, *, stream: bool) -> bool:
        if address is None or not self._share:
            return False
        full = stream and self._streams[address] >= _but_for_polls(self._share)
        return full or self._of_addresses[address] >= self._share

    def _release(self, caller: Hashable, address: str | None, *, stream: bool) -> None:
        with self._lock:
            self._count(caller, address, -1, stream=stream)

    def _count(self, caller: Hashable, address: str | None, more: int, *, stream: bool) -> None:
        self._all += more
        _add(self._taken, caller, more)
        _add(self._of_addresses, address, more)
        if stream:
            self._all_streams += more
            _add(self._streams, address, more)


def _add(counter: Counter[Any], key: Hashable, more: int) -> None:
    counter[key] += more
    if not counter[key]:
        del counter[key]


def _but_for_polls(slots: int) -> int:
    return slots - slots // POLLS_PART
