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
    """The OpenAPI document of an application."""

    def __init__(self, make: Callable[[], dict[str, Any]]) -> None:
        self._spec = Once(make)
        self._text = Once(lambda: msgspec.json.encode(self.spec))
        self._older_text = Once(lambda: msgspec.json.encode(older(self.spec)))

    @property
    def spec(self) -> dict[str, Any]:
        return self._spec()

    @property
    def text(self) -> bytes:
        """The served document; one text for all readers, however slow."""
        return self._text()

    @property
    def older_text(self) -> bytes:
        return self._older_text()
