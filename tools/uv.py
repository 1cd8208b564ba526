"""Provides uv, which takes a tenth of pip's time, and passes on pip's configuration. Standard library alone."""

from __future__ import annotations

import ast
import os
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from service.launch.lifeline import run
from tools.locks import requirement

SECTIONS: Final = ("global", "install", ":env:")
"""Sections of `pip config list` for an installation; later ones take precedence."""

UV_VARIABLES: Final = {
    "index-url": ("UV_DEFAULT_INDEX", " "),
    "extra-index-url": ("UV_INDEX", " "),
    "find-links": ("UV_FIND_LINKS", ","),
    "cert": ("SSL_CERT_FILE", " "),
}
"""The variables of uv for pip's settings, with the separator of several values."""

NEEDLESS: Final = frozenset(
    {
        "cache-dir",
        "constraint",  # a lock names each version
        "default-timeout",
        "disable-pip-version-check",
        "no-input",
        "progress-bar",
        "quiet",
        "require-virtualenv",
        "retries",
        "root-user-action",
        "timeout",
        "verbose",
    }
)
"""Settings of pip that do not change an installation by uv."""

BUNDLES: Final = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
"""The variables in which pip looks for certificates by default."""


def provide_uv(pip: Sequence[str], folder: Path) -> Path | None:
    """Return the uv of an environment; pip installs the one of the lock if there is none. None if that fails."""
    uv = folder / "bin" / "uv"
    if not uv.exists():
        own = folder / "uv.txt"
        own.write_text(requirement("uv"), "utf-8")
        hashed = ("--require-hashes", "--only-binary", ":all:", "-r", str(own))
        if run([*pip, "install", "-qq", "--no-compile", *hashed]) != 0:
            return None
    return uv


def configured(pip: Sequence[str]) -> dict[str, str] | None:
    """Return uv's variables for the configuration of pip, or None if uv cannot express it."""
    said = subprocess.run([*pip, "config", "list"], check=False, capture_output=True, text=True)
    return settings(said.stdout.splitlines()) if said.returncode == 0 else None


def settings(configuration: Iterable[str]) -> dict[str, str] | None:
    """Return uv's variables for these lines of `pip config list`, or None if uv cannot express them."""
    found = dict[str, dict[str, str]]()
    for line in configuration:
        place, _, text = line.partition("=")
        section, _, name = place.rpartition(".")
        found.setdefault(section, {})[name] = str(ast.literal_eval(text))
    asked = {name: text for section in SECTIONS for name, text in found.get(section, {}).items()}
    if not asked.keys() <= UV_VARIABLES.keys() | NEEDLESS:
        return None
    told = {
        variable: separator.join(asked[name].split())
        for name, (variable, separator) in UV_VARIABLES.items()
        if asked.get(name, "").split()
    }
    return certificates(os.environ) | told


def certificates(environment: Mapping[str, str]) -> dict[str, str]:
    """Return pip's default certificates: the machine's own, or a file of its owner."""
    named = [environment[name] for name in BUNDLES if environment.get(name)]
    return {"UV_SYSTEM_CERTS": "true", **({"SSL_CERT_FILE": named[0]} if named else {})}
