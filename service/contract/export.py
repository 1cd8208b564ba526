"""The OpenAPI document: put together once per application, and written to `openapi/openapi.yaml`."""

from __future__ import annotations

from typing import Any, Final

TITLE: Final = "Dorfplatz"
VERSION: Final = "1.0.0"
DESCRIPTION: Final = """\
German board games as a service: the rules as a stateless engine, tables kept as sessions, search and simulation as
jobs. Every failure is a problem document (RFC 9457). Texts come in German, English and Italian by `Accept-Language`;
codes, kinds and keys are never translated.
"""


def frame(plugin: Any) -> dict[str, Any]:
    """Return what the document says before the first operation."""
    return {
        "title": TITLE,
        "version": VERSION,
        "openapi_version": "3.1.0",
        "marshmallow_plugin": plugin,
        "info": {"description": DESCRIPTION, "license": {"name": "MIT", "identifier": "MIT"}},
    }


def finished(spec: dict[str, Any]) -> dict[str, Any]:
    """Return the document with its parts in a stable order."""
    spec["components"]["schemas"] = dict(sorted(spec["components"]["schemas"].items()))
    return spec


def document() -> dict[str, Any]:
    """Return the document of an application with all registered games."""
    from service.app import create_app  # noqa: PLC0415 -- the application imports this module

    spec: dict[str, Any] = create_app().extensions["openapi"]
    return spec
