"""Installs by uv, which takes a tenth of pip's time, where it can be told all that pip is configured to do.

Standard library alone.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from service.launch.lifeline import run

SECTIONS: Final = ("global", "install", ":env:")
"""What `pip config list` has for an installation; the later ones win."""

TOLD: Final = {
    "index-url": ("UV_DEFAULT_INDEX", " "),
    "extra-index-url": ("UV_INDEX", " "),
    "find-links": ("UV_FIND_LINKS", ","),
    "cert": ("SSL_CERT_FILE", " "),
}
"""The variables by which uv is told what pip is configured to do, and what stands between several values there."""

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
"""What pip may be configured to do that changes nothing in what uv installs into an environment."""

BUNDLES: Final = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
"""The variables in which pip looks for certificates where it is configured to none."""


def install_by_uv(
    pip: Sequence[str], tools: Path, wanted: Sequence[str], uv_lock: Path, *, into: Path | None = None
) -> bool:
    """Install what is wanted, by the arguments of pip and uv alike, and tell whether that worked.

    It comes into the environment `into`, or `tools`. uv comes into `tools` by pip, as `uv_lock` has it. What went wrong
    is left to pip, which is asked next, to tell.
    """
    said = subprocess.run([*pip, "config", "list"], check=False, capture_output=True, text=True)
    told = settings(said.stdout.splitlines())
    if said.returncode != 0 or told is None:
        return False
    uv, silence = tools / "bin" / "uv", Path(os.devnull)
    if not uv.exists():
        own = tools / "uv.lock"
        own.write_text(entry(uv_lock.read_text("utf-8"), "uv"), "utf-8")
        hashed = ("--require-hashes", "--only-binary", ":all:", "-r", str(own))
        if run([*pip, "install", "-qq", "--no-compile", *hashed], output=silence) != 0:
            return False
    # The hashes say what may be installed, whichever index has it.
    command = [str(uv), "pip", "install", "--python", str(into or tools), "--index-strategy", "unsafe-best-match"]
    return run([*command, *wanted], output=silence, env={**os.environ, **told}) == 0


def settings(configuration: Iterable[str]) -> dict[str, str] | None:
    """Return what tells uv the same as these lines of `pip config list` tell pip, or None where nothing does."""
    found = dict[str, dict[str, str]]()
    for line in configuration:
        place, _, text = line.partition("=")
        section, _, name = place.rpartition(".")
        found.setdefault(section, {})[name] = str(ast.literal_eval(text))
    asked = {name: text for section in SECTIONS for name, text in found.get(section, {}).items()}
    if not asked.keys() <= TOLD.keys() | NEEDLESS:
        return None
    told = {
        variable: separator.join(asked[name].split())
        for name, (variable, separator) in TOLD.items()
        if asked.get(name, "").split()
    }
    return _certificates(os.environ) | told


def entry(lock: str, name: str) -> str:
    """Return what a lock says of a package: its version and its hashes."""
    found = re.search(rf"^{name}==\S+(?: \\\n    --hash=sha256:\w+)+\n", lock, re.MULTILINE)
    if found is None:
        raise AssertionError(f"the lock names no {name}")
    return found[0]


def _certificates(environment: Mapping[str, str]) -> dict[str, str]:
    """Return where pip finds certificates without being configured to: the machine's own, or a file of its owner's."""
    named = [environment[name] for name in BUNDLES if environment.get(name)]
    return {"UV_SYSTEM_CERTS": "true", **({"SSL_CERT_FILE": named[0]} if named else {})}
