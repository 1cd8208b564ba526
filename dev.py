"""Makes the environment this project needs, and runs one of its commands in it: `python3 dev.py help`.

Standard library alone, Python 3.11 or later; what it runs lives in `service.launch`.
"""

import fcntl
import hashlib
import importlib.util
import os
import re
import sys
import time
import urllib.request
import venv
from pathlib import Path
from urllib.parse import urljoin

from service.launch.lifeline import run
from service.launch.terminal import say

ROOT = Path(__file__).resolve().parent
LOCK = ROOT / "requirements.lock"
DEV_LOCK = ROOT / "requirements-dev.lock"
ENVIRONMENT = ROOT / ".venv"
PYTHON = ENVIRONMENT / "bin" / "python"


def main() -> None:
    """Bring the environment up to date, then become the command."""
    os.chdir(ROOT)
    (ROOT / "build").mkdir(exist_ok=True)
    with (ROOT / "build" / "environment.lock").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        install(LOCK)
        if sys.argv[1:2] not in (["serve"], ["keys"]):
            install(DEV_LOCK)
    os.environ["PYTHONPATH"] = str(ROOT)
    os.execv(PYTHON, [str(PYTHON), "-P", "-m", "service.launch", *sys.argv[1:]])


def install(lock: Path) -> None:
    """Install exactly what a lock names, unless that was done."""
    stamp = ENVIRONMENT / f"{lock.name}.installed"
    wanted = hashlib.sha256(lock.read_bytes()).hexdigest()
    if PYTHON.exists() and stamp.exists() and stamp.read_text() == wanted:
        return
    began = time.monotonic()
    say(f"installing {lock.name} into .venv")
    pip = installer()
    if run([*pip, "install", "-qq", "--require-hashes", "--only-binary", ":all:", "-r", str(lock)]) != 0:
        sys.exit(f"dorfplatz: {lock.name} could not be installed, see above")
    stamp.write_text(wanted)
    say(f"installed in {time.monotonic() - began:.0f} s")


def installer() -> list[str]:
    """Make the environment if there is none, and return the command of a pip that installs into it."""
    inside = [str(PYTHON), "-m", "pip"]
    if not PYTHON.exists():
        has_pip = importlib.util.find_spec("ensurepip") is not None
        venv.create(ENVIRONMENT, with_pip=has_pip, clear=True, symlinks=True)
    if next(ENVIRONMENT.glob("lib/python*/site-packages/pip/__main__.py"), None):
        return inside
    if importlib.util.find_spec("pip"):
        return [sys.executable, "-m", "pip", "--python", str(PYTHON)]
    return [str(PYTHON), str(fetched_pip() / "pip")]


def fetched_pip() -> Path:
    """Download the pip that the lock names, for a Python that came without any; its hash is checked."""
    entry = re.search(r"^pip==(\S+)((?: \\\n    --hash=sha256:\w+)+)", LOCK.read_text(), re.MULTILINE)
    if entry is None:
        raise AssertionError("requirements.lock names no pip")
    name = f"pip-{entry[1]}-py3-none-any.whl"
    index = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple").rstrip("/") + "/pip/"
    link = re.search(rf'href="([^"]*/{re.escape(name)})[#"]', fetched(index).decode())
    if link is None:
        sys.exit(f"dorfplatz: {index} has no {name}; install pip for this Python")
    wheel = fetched(urljoin(index, link[1]))
    if hashlib.sha256(wheel).hexdigest() not in entry[2]:
        sys.exit("dorfplatz: the downloaded pip is not the one that requirements.lock names")
    place = ENVIRONMENT / name
    place.write_bytes(wheel)
    return place


def fetched(address: str) -> bytes:
    """Return what lies at an address."""
    with urllib.request.urlopen(address, timeout=60) as answer:
        body: bytes = answer.read()
        return body


if __name__ == "__main__":
    if sys.version_info < (3, 11):
        sys.exit("dorfplatz: needs Python 3.11 or later")
    main()
