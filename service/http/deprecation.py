"""What is going: operations that are deprecated, since when, and when they end. Everything else follows from `RETIRED`.

An operation that stands here says so in every answer (`Deprecation`, RFC 9745; `Sunset`, RFC 8594; `Link`) and in the
document. docs/evolution.md says what is promised.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from flask import Flask
from werkzeug.http import http_date

from service.http.blueprint import operation_id

NOTICE: Final = timedelta(days=180)
"""How long an operation goes on, at least, after it was deprecated."""

PAGE: Final = "/docs"
"""Where a person reads what stands in its place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retirement:
    """An operation by its id in the document, since when it is deprecated, when it ends, and what replaces it."""

    operation: str
    deprecated: datetime
    sunset: datetime | None = None
    successor: str | None = None

    def __post_init__(self) -> None:
        """Refuse to end anything without notice."""
        if self.sunset is not None and self.sunset < self.deprecated + NOTICE:
            raise ValueError(f"{self.operation} would end {NOTICE.days} days after its deprecation, or sooner")

    @property
    def headers(self) -> dict[str, str]:
        """What every answer of the operation says."""
        links = [f'<{PAGE}>; rel="deprecation"; type="text/html"']
        links += [] if self.sunset is None else [f'<{PAGE}>; rel="sunset"; type="text/html"']
        links += [] if self.successor is None else [f'<{self.successor}>; rel="successor-version"']
        ends = {} if self.sunset is None else {"Sunset": http_date(self.sunset)}
        return {"Deprecation": f"@{int(self.deprecated.timestamp())}", **ends, "Link": ", ".join(links)}


RETIRED: Final[tuple[Retirement, ...]] = ()
"""All that is deprecated now."""


def headers_by_endpoint(app: Flask, retired: Iterable[Retirement]) -> dict[str, dict[str, str]]:
    """Return the headers of every response of a deprecated operation, by its endpoint."""
    by_operation = {each.operation: each.headers for each in retired}
    operations = {endpoint: _operation_of(endpoint) for endpoint in app.view_functions}
    return {name: by_operation[operation] for name, operation in operations.items() if operation in by_operation}


def check(app: Flask, retired: Iterable[Retirement]) -> None:
    """Raise KeyError for an operation that the application has not."""
    known = {_operation_of(endpoint) for endpoint in app.view_functions}
    if unknown := [each.operation for each in retired if each.operation not in known]:
        raise KeyError(*unknown)


def describe(spec: dict[str, Any], retired: Iterable[Retirement]) -> dict[str, Any]:
    """Mark deprecated operations in the document, and return it."""
    found = {operation["operationId"]: operation for item in spec["paths"].values() for operation in item.values()}
    for each in retired:
        operation = found[each.operation]
        operation["deprecated"] = True
        for response in operation["responses"].values():
            if "$ref" not in response:
                more = {name: {"$ref": f"#/components/headers/{name}"} for name in each.headers}
                response["headers"] = {**response.get("headers", {}), **more}
    return spec


def _operation_of(endpoint: str) -> str:
    """Return the id of the operation that Flask knows by an endpoint."""
    return operation_id(endpoint.rpartition(".")[2])
