"""The document in the forms in which it is served: each is made once, when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any, Generic, TypeVar

import msgspec

from service.http.openapi_3_0 import older

Made = TypeVar("Made")


class Once(Generic[Made]):
    """What is made by the first thread that asks for it, and again where that failed; others wait meanwhile."""

    def __init__(self, make: Callable[[], Made]) -> None:
        self._make = make
        self._made: list[Made] = []
        self._lock = Lock()

    def __call__(self) -> Made:
        """Return it."""
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
        """The document as OpenAPI 3.1."""
        return self._spec()

    @property
    def text(self) -> bytes:
        """The document as it is served; one text serves all who read it, however slowly."""
        return self._text()

    @property
    def older_text(self) -> bytes:
        """The document as OpenAPI 3.0, for older tools."""
        return self._older_text()
