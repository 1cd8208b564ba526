"""Stand-ins for the base images, made from Debian packages where no registry can be reached.

They carry the real names, so that the Dockerfile and the compose file run unmodified.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from tests.containers.engine import BASE_PACKAGES, Engine, NoEngineError, install, run

SUITE: Final = "bookworm"
COMMON: Final = "dorfplatz-test/debian:bookworm"
"""One Debian with the programs of all three images; layers on top differ only in settings."""

PROGRAMS: Final = (
    "ca-certificates",
    "haproxy",
    "libc6-dev",
    "python3",
    "python3-dev",
    "python3-venv",
    "redis-server",
    "redis-tools",
)
BUNDLE: Final = Path("etc/ssl/certs/ca-certificates.crt")

# Debian has Redis 7.0 and no Valkey: the protocol and the settings in use are the same.
_LINKS: Final = {"usr/bin/valkey-server": "redis-server", "usr/bin/valkey-cli": "redis-cli"}

# The Alpine images have BusyBox's wget, which the health check of the proxy uses.
_WGET: Final = """#!/usr/bin/python3
import sys, urllib.request
urllib.request.urlopen(sys.argv[-1], timeout=3)
"""

_LAYERS: Final = {
    "python:3.11-slim-bookworm": "",
    "valkey/valkey:9.1.2-alpine": "WORKDIR /data\nVOLUME /data\n",
    "haproxy:2.6-alpine": "",
}


def provide(engine: Engine, names: frozenset[str]) -> dict[str, str]:
    """Make sure that every base image is stored; return for each whether it is original or a stand-in."""
    unknown = names - _LAYERS.keys()
    assert not unknown, f"no stand-in is known for {', '.join(sorted(unknown))}"
    missing = [name for name in sorted(names) if not engine.has_image(name)]
    while missing and engine.can_pull(missing[0]):
        del missing[0]
    for name in missing:  # after one failure the registry is not asked again
        _make(engine, name)
    return {name: _kind(name) for name in sorted(names)}


def _make(engine: Engine, name: str) -> None:
    if not engine.has_image(COMMON):
        _make_common()
    text = f"FROM {COMMON}\nLABEL dorfplatz.stand-in=true\n{_index()}{_LAYERS[name]}"
    run("docker", "build", "--quiet", "--tag", name, "-", stdin=text.encode())


def _kind(name: str) -> str:
    label = run("docker", "inspect", "--format", '{{index .Config.Labels "dorfplatz.stand-in"}}', name).strip()
    return "stand-in" if label == "true" else "original"


def _index() -> str:
    done = subprocess.run(
        [sys.executable, "-m", "pip", "config", "get", "global.index-url"], capture_output=True, text=True, check=False
    )
    address = os.environ.get("PIP_INDEX_URL") or done.stdout.strip()
    return f"ENV PIP_INDEX_URL={address}\n" if address else ""


def _make_common() -> None:
    if shutil.which("debootstrap") is None:
        install(*BASE_PACKAGES)
    with tempfile.TemporaryDirectory(prefix="stand-in-") as folder:
        root = Path(folder) / "root"
        try:
            run("debootstrap", "--variant=minbase", f"--include={','.join(PROGRAMS)}", SUITE, str(root))
        except AssertionError as error:
            raise NoEngineError(f"no registry can be reached, and debootstrap failed: {str(error)[-500:]}") from error
        for link, target in _LINKS.items():
            (root / link).symlink_to(target)
        (root / "usr/bin/wget").write_text(_WGET)
        (root / "usr/bin/wget").chmod(0o755)
        shutil.copyfile(Path("/") / BUNDLE, root / BUNDLE)  # a mirror may have a certificate of its own
        shutil.rmtree(root / "var/cache/apt/archives")
        (root / "var/cache/apt/archives/partial").mkdir(parents=True)
        (root / "data").mkdir()
        shutil.chown(root / "data", 999, 1000)
        with subprocess.Popen(["tar", "-C", str(root), "-c", "."], stdout=subprocess.PIPE) as packed:
            subprocess.run(["docker", "import", "-", COMMON], stdin=packed.stdout, check=True, capture_output=True)
