"""The served forms of the document; each is built once, on first request."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any, Generic, TypeVar

import msgspec

from service.http.openapi_3_0 import older

Made = TypeVar("Made")


class Once(Generic[Made]):
    """A value that the first thread computes while others wait. After a failure, the next thread tries again."""

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
    """The OpenAPI document of an application: as a value, as JSON, and as JSON in OpenAPI 3.0 for older tools.

    Each form raises ValueError for a game that the document cannot hold. All responses share one text.
    """

    def __init__(self, make: Callable[[], dict[str, Any]]) -> None:
        self.spec = Once(make)
        self.text = Once(lambda: msgspec.json.encode(self.spec()))
        self.older_text = Once(lambda: msgspec.json.encode(older(self.spec())))
