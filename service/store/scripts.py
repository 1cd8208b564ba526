"""The Lua scripts of the stores, which lie beside the modules that run them."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def script(name: str, package: str = "service.store") -> str:
    """Return the text of a script of a package."""
    return (files(package) / f"{name}.lua").read_text("utf-8")
