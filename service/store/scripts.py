"""The Lua scripts that lie beside this module."""

from __future__ import annotations

from importlib.resources import files


def script(name: str) -> str:
    """Return the text of a script."""
    return (files("service.store") / f"{name}.lua").read_text("utf-8")
