"""The document in the forms in which it is served: made once, when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import msgspec

from service.http.openapi_3_0 import older


class Document:
    """The OpenAPI document of an application."""

    def __init__(self, make: Callable[[], dict[str, Any]]) -> None:
        self._make = make

    @cached_property
    def spec(self) -> dict[str, Any]:
        """The document as OpenAPI 3.1."""
        return self._make()

    @cached_property
    def text(self) -> bytes:
        """The document as it is served; one text serves all who read it, however slowly."""
        return msgspec.json.encode(self.spec)

    @cached_property
    def older_text(self) -> bytes:
        """The document as OpenAPI 3.0, for older tools."""
        return msgspec.json.encode(older(self.spec))
