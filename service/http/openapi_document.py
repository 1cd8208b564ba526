"""The served forms of the document; each is built once, on first request."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any, Generic, TypeVar

import msgspec

from service.http.openapi_3_0 import older

Made = TypeVar("Made")


class Once(Generic[Made]):
    """A value computed once by the first thread that needs it, while others wait; retried after a failure."""

    def __init__(self, make: Callable[[], Made]) -> None:
        self._make = make
        self._made: list[Made] = []
        self._lock = Lock()

    def __call__(self) -> Made:
        with self._lock:
            if not self._made:
                self._made.append(self._make())
        return self._made[0]


class Document:
    """The OpenAPI document of an application, as a value and as served, also as OpenAPI 3.0 for older tools.

    Each form raises ValueError for a game that the document cannot hold. One text serves all readers, however slow.
    """

    def __init__(self, make: Callable[[], dict[str, Any]]) -> None:
        self.spec = Once(make)
        self.text = Once(lambda: msgspec.json.encode(self.spec()))
        self.older_text = Once(lambda: msgspec.json.encode(older(self.spec())))
