"""The OpenAPI document in the forms that are served. Each form is built on first request."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any, Generic, TypeVar

import msgspec

from service.contract.openapi_3_0 import older

Made = TypeVar("Made")


class Once(Generic[Made]):
    """A function that computes a value on its first call. Later calls return the same value.

    Other threads wait for the computation to end. If it raises an exception, the next call computes the value again.
    """

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
    """The OpenAPI document of an application. It is also available as OpenAPI 3.0 for older tools."""

    def __init__(self, make: Callable[[], dict[str, Any]]) -> None:
        self.spec = Once(make)
        self.text = Once(lambda: msgspec.json.encode(self.spec()))
        self.older_text = Once(lambda: msgspec.json.encode(older(self.spec())))
